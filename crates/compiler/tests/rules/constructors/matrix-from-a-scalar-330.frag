// GLSL 3.30, 5.4.2: A matrix from one scalar has it on its diagonal, else 0.
// value: 2 0 0 2
// set u = 2
#version 330
out vec4 color;
uniform float u;

void main() {
    mat2 m = mat2(u);
    color = vec4(m[0], m[1]);
}
