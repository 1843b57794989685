// GLSL 3.30, 9: After a wrong statement the next one is read.
#version 330
out vec4 color;
void main() {
    float a = ; //~ error: expected an expression, found `;`
    float b = true; //~ error: the initial value is of type `bool`; expected `float`
    b = * 2.0; //~ error: expected an expression, found `*`
    float c = (1.0 + ; //~ error: expected an expression, found `;`
    b = missing; //~ error: there is no variable `missing`
    float d = 1.0 2.0; //~ error: expected `;` after a declaration, found `2.0`
}
