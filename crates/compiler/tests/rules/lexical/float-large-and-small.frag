#version 300 es
// ES 3.00, 4.1.4: A float may have many digits; its value is the nearest.
// value: 1 1 1 1
precision highp float;
out vec4 color;
void main() {
    color = vec4(0.99999999999999999999 == 1.0, 1000000000000000000000.0e-21 == 1.0, 1.00000000000000000001 == 1.0, 0.000000000000000000000000000001e30 == 1.0);
}
