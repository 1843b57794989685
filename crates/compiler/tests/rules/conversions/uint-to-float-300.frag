#version 300 es
// ES 3.00, 5.8: A uint is not converted to float.
precision highp float;
out vec4 color;
uniform uint n;

void main() {
    float a = n; //~ error: the initial value is of type `uint`; expected `float`
    color = vec4(a, 0.0, 0.0, 1.0);
}
