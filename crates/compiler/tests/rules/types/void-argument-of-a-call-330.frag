// GLSL 3.30, 9: A call without arguments may be written with `void`.
// value: 2 0 0 1
#version 330
out vec4 color;
float f() { return 2.0; }

void main() {
    color = vec4(f(void), 0.0, 0.0, 1.0);
}
