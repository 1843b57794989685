#version 300 es
// ES 3.00, 4.1.9: A parameter that is an array has a size.
precision highp float;
out vec4 color;
float f(float a[]) { return a[0]; } //~ error: an array that is a parameter needs a size

void main() {
    color = vec4(1.0);
}
