#version 300 es
// ES 3.00, 6.1: A function does not call itself, not by others either.
precision highp float;
out vec4 color;
float g(float a);
float f(float a) {
    return g(a);
}
float g(float a) {
    return f(a); //~ error
}

void main() {
    color = vec4(f(3.0));
}
