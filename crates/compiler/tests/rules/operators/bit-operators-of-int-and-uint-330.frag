// GLSL 3.30, 5.9: `&`, `|` and `^` have operands of one type.
#version 330
out vec4 color;
void main() {
    int a = 1;
    uint b = 2u;
    uint c = a & b; //~ error: `&` does not take `int` and `uint`
    int d = a | b; //~ error: `|` does not take `int` and `uint`
    int e = a ^ vec2(1.0).x; //~ error: `^` takes integers, not `int` and `float`
}
