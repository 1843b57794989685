#version 300 es
// ES 3.00, 5.8: Arrays of different sizes are different types.
precision highp float;
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    float b[3] = a; //~ error: the initial value is of type `float[2]`; expected `float[3]`
    b = a; //~ error: the value is of type `float[2]`; expected `float[3]`
}
