#version 300 es
// ES 3.00, 4.1.3: int and float are different types, and nothing converts them.
precision highp float;
out vec4 color;
void main() {
    int a = 1.0; //~ error: the initial value is of type `float`; expected `int`
    float b = 1; //~ error: the initial value is of type `int`; expected `float`
}
