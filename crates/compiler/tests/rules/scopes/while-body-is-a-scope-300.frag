#version 300 es
// ES 3.00, 6.3: The single statement of a loop is a scope of its own.
// value: 1 3 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 1.0;
    int n = 0;
    while (n++ < 2) float a = 42.0;
    do float a = 43.0; while (n++ < 2);
    color = vec4(a, float(n) - 1.0, 0.0, 1.0);
}
