#version 300 es
// ES 3.00, 4.1.9: length() may end a loop.
// value: 6 0 0 1
precision highp float;
out vec4 color;
void main() {
    float a[3] = float[3](1.0, 2.0, 3.0);
    float sum = 0.0;
    for (int i = 0; i < a.length(); i++) sum += a[i];
    color = vec4(sum, 0.0, 0.0, 1.0);
}
