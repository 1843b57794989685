// ES 1.00, 5.8: An int is not converted to float.
#version 100
precision mediump float;
uniform int n;
float g = 3; //~ error: the initial value is of type `int`; expected `float`

void main() {
    float a = 1; //~ error: the initial value is of type `int`; expected `float`
    float b = n; //~ error: the initial value is of type `int`; expected `float`
    gl_FragColor = vec4(a, g, b, 1.0);
}
