// GLSL 3.30, 6.1: A function whose parameters fit exactly comes before one that converts.
// value: 1 2 0 1
#version 330
out vec4 color;
float f(float a) { return 1.0; }
float f(int a) { return 2.0; }

void main() {
    color = vec4(f(0.0), f(0), 0.0, 1.0);
}
