#version 300 es
// ES 3.00, 5.9: `%` is for integers.
precision highp float;
out vec4 color;
void main() {
    float a = 3.0 % 2.0; //~ error: `%` takes integers, not `float` and `float`
    vec2 b = vec2(3.0) % 2.0; //~ error: `%` takes integers, not `vec2` and `float`
    b %= 2.0; //~ error: `%` takes integers, not `vec2` and `float`
}
