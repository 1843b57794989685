#version 300 es
// ES 3.00, 6.1: An int is no argument for a float.
precision highp float;
out vec4 color;
float f(float a) { return a + 1.0; }

void main() {
    float a = f(2); //~ error
    float b = max(1, 2.0); //~ error
    float c = pow(2, 2); //~ error
    color = vec4(a, b, c, 1.0);
}
