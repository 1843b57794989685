#version 300 es
// ES 3.00, 6.4: An int is not returned for a float.
precision highp float;
out vec4 color;
float f() {
    return 1; //~ error: the result is of type `int`; expected `float`
}

void main() {
    color = vec4(f(), 0.0, 0.0, 1.0);
}
