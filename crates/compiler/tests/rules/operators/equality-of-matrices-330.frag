// GLSL 3.30, 5.9: Matrices are compared whole.
// value: 1 0 1 1
// set m = 1 2 3 4
#version 330
out vec4 color;
uniform mat2 m;

void main() {
    color = vec4(float(m == mat2(1.0, 2.0, 3.0, 4.0)), float(m == mat2(1.0)), float(m != mat2(0.0)), 1.0);
}
