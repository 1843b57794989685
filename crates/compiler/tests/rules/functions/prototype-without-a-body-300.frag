#version 300 es
// ES 3.00, 6.1: A function that is called has a body.
precision highp float;
out vec4 color;
float f(float a);

void main() {
    color = vec4(f(1.0)); //~ error
}
