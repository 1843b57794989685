#version 300 es
// ES 3.00, 4.1.4: An exponent has at least one digit.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0e; //~ error
    float b = 1e+; //~ error
}
