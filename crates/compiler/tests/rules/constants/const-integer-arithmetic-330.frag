// GLSL 3.30, 4.3.3: Integer constants compute as integers.
// value: 3 -3 1 0
#version 330
out vec4 color;
const int a = 7 / 2;
const int b = -7 / 2;
const int c = 7 % 2;
const int d = 1 / 2 * 2;

void main() {
    color = vec4(a, b, c, d);
}
