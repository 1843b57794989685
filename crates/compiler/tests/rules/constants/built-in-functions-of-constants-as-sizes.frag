#version 300 es
// ES 3.00, 4.3.3: A constant from a built-in function may be a number of elements.
// value: 1 1 1 1
precision highp float;
out vec4 color;
const int n = int(sqrt(16.0));
const int m = int(floor(3.7)) + int(exp2(1.0)) + min(1, 2) + int(mod(7.0, 4.0));

void main() {
    float a[n];
    float b[m];
    color = vec4(a.length() == 4, b.length() == 9, n == 4, m == 9);
}
