#version 300 es
// ES 3.00, 5.8: `<<=`, `>>=`, `&=`, `|=`, `^=` and `%=` change a variable.
// value: 40 2 1 1
// set u = 5
precision highp float;
out vec4 color;
uniform int u;

void main() {
    int a = u;
    a <<= 3;
    int b = u + 3;
    b >>= 2;
    int c = u;
    c %= 4;
    color = vec4(a, b, c, 1.0);
}
