#version 300 es
// ES 3.00, 4.4: A parameter is no uniform and no input.
precision highp float;
out vec4 color;
float f(uniform float a) { return a; } //~ error
float g(attribute float a) { return a; } //~ error

void main() {
    color = vec4(1.0);
}
