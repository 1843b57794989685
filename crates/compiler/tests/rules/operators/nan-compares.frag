#version 300 es
// ES 3.00, 5.9: What is not a number may be compared; what it gives is left open.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = u / u;
    color = vec4(a == a, a < 1.0, a > 1.0, 1.0);
}
