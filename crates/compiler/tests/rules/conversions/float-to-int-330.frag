// GLSL 3.30, 4.1.10: A float is never converted to int.
#version 330
out vec4 color;
int f(int a) { return a; }

void main() {
    int a = 1.0; //~ error: the initial value is of type `float`; expected `int`
    a = 2.0; //~ error: the value is of type `float`; expected `int`
    int b = f(1.5); //~ error: no function `f` takes (float)
    ivec2 c = vec2(1.0); //~ error: the initial value is of type `vec2`; expected `ivec2`
    a += 1.0; //~ error: `+=` makes `float` of `int` and `float`; expected `int`
}
