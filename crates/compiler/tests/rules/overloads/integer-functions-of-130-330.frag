// GLSL 3.30, 8.3: abs, sign, min, max and clamp take integers as integers.
// value: 3 -1 2 5
// set n = -3
#version 330
out vec4 color;
uniform int n;

void main() {
    int a = abs(n), b = sign(n), c = min(2, 5), d = clamp(7, n, 5);
    color = vec4(a, b, c, d);
}
