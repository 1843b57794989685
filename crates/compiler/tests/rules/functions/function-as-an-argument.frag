#version 300 es
// ES 3.00, 6.1: A function is no argument.
precision highp float;
out vec4 color;
float f(float a) { return a; }
float g(float a) { return a; }

void main() {
    float a = f(g); //~ error: `g` is a function, not a value
}
