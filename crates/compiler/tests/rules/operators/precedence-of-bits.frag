#version 300 es
// ES 3.00, 5.1: `<<` binds stronger than `<`; `&` weaker than `==`, then `^`, then `|`.
// value: 1 7 0 1
precision highp float;
out vec4 color;
void main() {
    const bool a = 1 << 2 < 5;
    const int b = 1 | 2 ^ 4 & 7;
    color = vec4(a, b, float((6 & 1) == 1), 1.0);
}
