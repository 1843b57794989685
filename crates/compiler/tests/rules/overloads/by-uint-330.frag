// GLSL 3.30, 6.1: Functions of one name differ by int and uint.
// value: 1 2 0 1
#version 330
out vec4 color;
float f(int a) { return 1.0; }
float f(uint a) { return 2.0; }

void main() {
    color = vec4(f(0), f(0u), 0.0, 1.0);
}
