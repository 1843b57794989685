#version 300 es
// ES 3.00, 5.8: An int is not converted to float.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0, b;
    a = 4; //~ error: the value is of type `int`; expected `float`
    a += 2; //~ error: `+` does not take `float` and `int`
    b = a > 0.0 ? 2 : 3; //~ error: the value is of type `int`; expected `float`
    color = vec4(a, b, 0.0, 1.0);
}
