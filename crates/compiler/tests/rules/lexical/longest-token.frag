#version 300 es
// ES 3.00, 3.6: The longest token counts: a+++b is (a++) + b.
// value: 3 2 3 1
// set u = 1
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = u, b = 2.0;
    float c = a+++b;
    color = vec4(c, a, c, 1.0);
}
