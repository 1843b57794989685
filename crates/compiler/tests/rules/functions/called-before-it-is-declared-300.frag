#version 300 es
// ES 3.00, 6.1: A function is declared before it is called.
precision highp float;
out vec4 color;
void main() {
    color = vec4(f(1.0)); //~ error: there is no function `f`
}
float f(float a) { return a; }
