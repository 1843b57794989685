#version 300 es
// ES 3.00, 4.1.4: The suffix f needs a point or an exponent.
precision highp float;
out vec4 color;
void main() {
    float a = 1f; //~ error: `1f` is not a number of the language
}
