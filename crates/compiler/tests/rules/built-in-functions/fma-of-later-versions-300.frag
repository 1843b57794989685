#version 300 es
// ES 3.00, 8.3: Later versions have fma, frexp and ldexp.
precision highp float;
out vec4 color;
void main() {
    float a = fma(1.0, 2.0, 3.0); //~ error
    int n;
    float b = frexp(1.0, n); //~ error
    float c = ldexp(1.0, 2); //~ error
}
