// GLSL 1.20, 8.3: In 1.20 abs, min and max give floats, which are no integers.
#version 120
uniform int n;

void main() {
    int a = abs(n); //~ error: the initial value is of type `float`; expected `int`
    int b = max(n, 5); //~ error: the initial value is of type `float`; expected `int`
}
