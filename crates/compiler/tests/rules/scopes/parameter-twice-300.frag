#version 300 es
// ES 3.00, 4.2.2: The parameters of a function have different names.
precision highp float;
out vec4 color;
float f(float a, float a) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
