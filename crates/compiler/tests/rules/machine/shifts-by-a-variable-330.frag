// GLSL 3.30, 5.9: A shift by a variable multiplies by a power of two.
// value: 39488 385802 -239198 -2464
// set a = 12345678
// set b = -7654321
// set n = 5
#version 330
out vec4 color;
uniform int a, b, n;

void main() {
    color = vec4(1234 << n, a >> n, b >> n, -77 << n);
}
