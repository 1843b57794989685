// GLSL 3.30, 4.3: Global variables get their initial values in order, before `main`.
// value: 1 3 0 1
#version 330
out vec4 color;
float a = 1.0;
float b = 2.0 + 1.0;

void main() {
    color = vec4(a, b, 0.0, 1.0);
}
