// ES 1.00, 7.5: The range of depths is a uniform.
// set gl_DepthRange.near = 0.25
// set gl_DepthRange.far = 1.5
// set gl_DepthRange.diff = 1.25
// value: 0.25 1.5 1.25 1
#version 100
precision mediump float;
float size(gl_DepthRangeParameters range) { return range.diff; }
void main() {
    gl_FragColor = vec4(gl_DepthRange.near, gl_DepthRange.far, size(gl_DepthRange), 1.0);
}
