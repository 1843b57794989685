// GLSL 3.30, 6.2: A condition is bool: numbers are not converted.
#version 330
out vec4 color;
void main() {
    if (1) {} //~ error: the condition of `if` is of type `int`; expected `bool`
    while (0.0) {} //~ error: the condition of `while` is of type `float`; expected `bool`
    for (int i = 0; i; i++) {} //~ error: the condition of `for` is of type `int`; expected `bool`
    bool a = 1 && true; //~ error: `&&` takes two values of type `bool`, not `int` and `bool`
}
