// ES 1.00, 5.9: The operands of arithmetic have one type: an int is not converted.
#version 100
precision mediump float;
uniform int n;

void main() {
    float a = n + 3.0; //~ error: `+` does not take `int` and `float`
    float b = 1.5 * n; //~ error: `*` does not take `float` and `int`
    vec2 c = vec2(2.0) * n; //~ error: `*` does not take `vec2` and `int`
    float d = 6.0 / n; //~ error: `/` does not take `float` and `int`
}
