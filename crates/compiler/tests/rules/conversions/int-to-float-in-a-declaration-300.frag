#version 300 es
// ES 3.00, 5.8: An int is not converted to float.
precision highp float;
out vec4 color;
uniform int n;
float g = 3; //~ error: the initial value is of type `int`; expected `float`

void main() {
    float a = 1; //~ error: the initial value is of type `int`; expected `float`
    float b = n; //~ error: the initial value is of type `int`; expected `float`
    color = vec4(a, g, b, 1.0);
}
