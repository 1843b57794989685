#version 300 es
// ES 3.00, 3.7: Keywords cannot be names of parameters.
precision highp float;
out vec4 color;
float f(float for) { return 1.0; } //~ error: expected the name of a parameter, found the keyword `for`

void main() {
    color = vec4(1.0);
}
