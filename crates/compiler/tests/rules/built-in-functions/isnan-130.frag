// GLSL 1.30, 8.3: isnan and isinf give bools.
// value: 0 0 0 1
// set u = 1
#version 130
out vec4 color;
uniform float u;

void main() {
    bool a = isnan(u);
    bool b = isinf(u);
    color = vec4(a, b, any(isnan(vec2(u))), 1.0);
}
