// ES 1.00, 5.8: An int is not converted to float.
#version 100
precision mediump float;
void main() {
    float a = 1.0, b;
    a = 4; //~ error: the value is of type `int`; expected `float`
    a += 2; //~ error: `+` does not take `float` and `int`
    b = a > 0.0 ? 2 : 3; //~ error: the value is of type `int`; expected `float`
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
