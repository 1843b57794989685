#version 300 es
// ES 3.00, 5.4.4: An element has the array's type.
precision highp float;
out vec4 color;
void main() {
    float a[2] = float[2](1, 2.0); //~ error: the value of the element 0 of `float[2]` is of type `int`; expected `float`
    color = vec4(a[0], a[1], 0.0, 1.0);
}
