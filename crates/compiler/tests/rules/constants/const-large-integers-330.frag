// GLSL 3.30, 4.3.3: Integer constants have 32 bits, also between steps.
// value: 1 1 1 1
#version 330
out vec4 color;
const int a = 2147483647 - 2147483646;
const uint b = 4294967295u / 4294967295u;
const int c = (123456789 * 2 - 246913577);
const bool d = 16777217 != 16777216;

void main() {
    color = vec4(a, b, c, d);
}
