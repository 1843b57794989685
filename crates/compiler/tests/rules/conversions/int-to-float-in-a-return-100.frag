// ES 1.00, 6.1: An int is not returned for a float.
#version 100
precision mediump float;
float f() {
    return 1; //~ error: the result is of type `int`; expected `float`
}

void main() {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
