#version 300 es
// ES 3.00, 3.4: Mistakes of the preprocessor and of the code are reported together.
precision highp float;
out vec4 color;
#define A(x) x
#foo //~ error
float f() {
    return true; //~ error
}
#define A(x) y //~ error

void main() {
    float b = A(1.0, 2.0); //~ error
    float c = missing; //~ error
}
