#version 300 es
// ES 3.00, 4.1.4: A float that is too large is infinity, no error.
// value: 1 1 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 1e40;
    color = vec4(a > 3e38, 1.0 / a == 0.0, 0.0, 1.0);
}
