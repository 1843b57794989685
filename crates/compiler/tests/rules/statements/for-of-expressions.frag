#version 300 es
// ES 3.00, 6.3: The start of `for` may be an expression.
// value: 4 3 0 1
precision highp float;
out vec4 color;
void main() {
    int i;
    float a = 0.0;
    for (i = 1; i < 4; i += 1) a += 1.0;
    color = vec4(i, a, 0.0, 1.0);
}
