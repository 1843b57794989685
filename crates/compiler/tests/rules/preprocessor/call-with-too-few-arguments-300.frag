#version 300 es
// ES 3.00, 3.4: A macro takes as many arguments as it was defined with.
precision highp float;
out vec4 color;
#define ADD(a, b) ((a) + (b))

void main() {
    float a = ADD(1.0); //~ error
}
