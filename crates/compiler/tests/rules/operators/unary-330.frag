// GLSL 3.30, 5.9: `+` and `-` before numbers, vectors and matrices.
// value: -2 2 -3 -4
// set a = 2
#version 330
out vec4 color;
uniform float a;

void main() {
    mat2 m = -mat2(1.0, 2.0, 3.0, 4.0);
    color = vec4(-a, + +a, (-vec2(3.0)).x, m[1][1]);
}
