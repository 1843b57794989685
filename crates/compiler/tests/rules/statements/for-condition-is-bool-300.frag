#version 300 es
// ES 3.00, 6.3: The condition of a loop is one bool.
precision highp float;
out vec4 color;
void main() {
    for (int i = 3; i; i--) {} //~ error: the condition of `for` is of type `int`; expected `bool`
    for (float a = 1.0; a - 1.0; ) {} //~ error: the condition of `for` is of type `float`; expected `bool`
    while (1) {} //~ error: the condition of `while` is of type `int`; expected `bool`
    do {} while (1.0); //~ error: the condition of `while` is of type `float`; expected `bool`
}
