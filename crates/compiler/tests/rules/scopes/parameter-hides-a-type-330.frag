// GLSL 3.30, 4.2.2: A parameter hides a structure.
// value: 4 0 0 1
#version 330
out vec4 color;
struct S { float a; };
float f(float S) { return S; }

void main() {
    color = vec4(f(4.0), 0.0, 0.0, 1.0);
}
