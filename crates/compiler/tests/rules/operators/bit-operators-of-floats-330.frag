// GLSL 3.30, 5.9: The operators of bits are for integers.
#version 330
out vec4 color;
void main() {
    float a = 1.0 & 2.0; //~ error: `&` takes integers, not `float` and `float`
    float b = 1.0 << 1; //~ error: `<<` takes integers, not `float` and `int`
    int c = 1 >> 1.0; //~ error: `>>` takes integers, not `int` and `float`
    float d = ~1.0; //~ error: `~` takes integers, not `float`
    bool e = true & false; //~ error: `&` takes integers, not `bool` and `bool`
    int f = 1 | true; //~ error: `|` does not take `int` and `bool`
}
