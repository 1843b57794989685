// GLSL 3.30, 7.4.1: The range of depths is a uniform.
// set gl_DepthRange.near = 0.25
// set gl_DepthRange.far = 1.5
// set gl_DepthRange.diff = 1.25
// value: 0.25 1.5 1.25 1
#version 330
out vec4 color;
float size(gl_DepthRangeParameters range) { return range.diff; }
void main() {
    color = vec4(gl_DepthRange.near, gl_DepthRange.far, size(gl_DepthRange), 1.0);
}
