#version 300 es
// ES 3.00, 5.9: Both sides of `:` have one type.
precision highp float;
out vec4 color;
uniform bool b;

void main() {
    float a = b ? 1 : 2.5; //~ error: both sides of `?:` must have one type, not `int` and `float`
}
