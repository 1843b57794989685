#version 300 es
// ES 3.00, 4.3.2: An array may be constant.
// value: 2 6 0 1
precision highp float;
out vec4 color;
const float a[3] = float[](1.0, 2.0, 3.0);

void main() {
    float sum = 0.0;
    for (int i = 0; i < 3; i++) sum += a[i];
    color = vec4(a[1], sum, 0.0, 1.0);
}
