// GLSL 3.30, 6.1: Functions may call each other deeply.
// value: 8 0 0 1
#version 330
out vec4 color;
float a(float x) { return x + 1.0; }
float b(float x) { return a(a(x)); }
float c(float x) { return b(b(x)); }
float d(float x) { return c(c(x)); }

void main() {
    color = vec4(d(0.0), 0.0, 0.0, 1.0);
}
