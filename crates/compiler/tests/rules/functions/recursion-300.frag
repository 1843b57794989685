#version 300 es
// ES 3.00, 6.1: A function does not call itself.
precision highp float;
out vec4 color;
float f(float a) {
    return a > 1.0 ? f(a - 1.0) : a; //~ error
}

void main() {
    color = vec4(f(3.0));
}
