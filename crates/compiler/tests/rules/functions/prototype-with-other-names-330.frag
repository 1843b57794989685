// GLSL 3.30, 6.1: The names of parameters may differ, or be missing in the prototype.
// value: 3 0 0 1
#version 330
out vec4 color;
float f(float, float);
float f(float x, float y) { return x + y; }

void main() {
    color = vec4(f(1.0, 2.0), 0.0, 0.0, 1.0);
}
