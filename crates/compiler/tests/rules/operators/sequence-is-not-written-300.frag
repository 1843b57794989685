#version 300 es
// ES 3.00, 5.8: `,` gives a value, not a variable.
precision highp float;
out vec4 color;
void main() {
    float a, b;
    (a, b) = 1.0; //~ error: this is a value; `=` needs a variable, or a part of one
}
