#version 300 es
// ES 3.00, 4.3.3: Operators of bits, shifts and remainders of constants are constant expressions.
// value: 8 2 0 1
precision highp float;
out vec4 color;
void main() {
    float a[1 << 3];
    float b[(7 & 2) | (9 % 2 - 1)];
    a[7] = 8.0;
    b[1] = 2.0;
    color = vec4(a[7], b[1], 0.0, 1.0);
}
