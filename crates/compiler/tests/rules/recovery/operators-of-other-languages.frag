// GLSL 3.30, 5.1: Operators that other languages have, and operands that are missing.
#version 330
out vec4 color;
uniform float a, b;
void main() {
    bool c = a => b; //~ error: expected an expression, found `>`
    bool d = a > 0.5 && < 0.7; //~ error: expected an expression, found `<`
    float e = a ** 2.0; //~ error: expected an expression, found `*`
    float f = a + ; //~ error: expected an expression, found `;`
    color = (a, b, e, f); //~ error: the value is of type `float`; expected `vec4`
}
