// GLSL 3.30, 5.4.2: A matrix from one bool or int has it as a float on its diagonal.
// value: 1 0 3 0
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    mat2 m = mat2(b), n = mat2(3);
    color = vec4(m[1][1], m[0][1], n[0][0], n[1][0]);
}
