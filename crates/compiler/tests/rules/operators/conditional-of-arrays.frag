// GLSL 3.30, 5.9: Both sides of `:` may be arrays.
// value: 3 0 0 1
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    float p[2] = float[2](1.0, 3.0);
    float q[2] = float[2](2.0, 4.0);
    float r[2] = b ? p : q;
    color = vec4(r[1], 0.0, 0.0, 1.0);
}
