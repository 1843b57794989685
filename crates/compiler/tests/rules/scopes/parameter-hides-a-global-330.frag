// GLSL 3.30, 4.2.2: A parameter hides a global name.
// value: 3 1 0 1
#version 330
out vec4 color;
float a = 1.0;
float f(float a) { return a; }

void main() {
    color = vec4(f(3.0), a, 0.0, 1.0);
}
