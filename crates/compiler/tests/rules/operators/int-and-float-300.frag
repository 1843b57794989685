#version 300 es
// ES 3.00, 5.9: The operands of arithmetic have one type: an int is not converted.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    float a = n + 3.0; //~ error: `+` does not take `int` and `float`
    float b = 1.5 * n; //~ error: `*` does not take `float` and `int`
    vec2 c = vec2(2.0) * n; //~ error: `*` does not take `vec2` and `int`
    float d = 6.0 / n; //~ error: `/` does not take `float` and `int`
}
