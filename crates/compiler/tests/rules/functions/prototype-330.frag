// GLSL 3.30, 6.1: A function may be declared first and defined later.
// value: 3 0 0 1
#version 330
out vec4 color;
float f(float a);
float g() { return f(1.0); }
float f(float a) { return a + 2.0; }

void main() {
    color = vec4(g(), 0.0, 0.0, 1.0);
}
