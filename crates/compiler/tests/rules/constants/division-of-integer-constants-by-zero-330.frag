// GLSL 3.30, 5.9: A division of integers by 0 gives some value, no error.
#version 330
out vec4 color;
const int a = 1 / 0;
const int b = 1 % 0;

void main() {
    color = vec4(a, b, 0.0, 1.0);
}
