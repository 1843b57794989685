// ES 1.00, 5.8: A float is never converted to int.
#version 100
precision mediump float;
int f(int a) { return a; }

void main() {
    int a = 1.0; //~ error: the initial value is of type `float`; expected `int`
    a = 2.0; //~ error: the value is of type `float`; expected `int`
    int b = f(1.5); //~ error: no function `f` takes (float)
    ivec2 c = vec2(1.0); //~ error: the initial value is of type `vec2`; expected `ivec2`
    a += 1.0; //~ error: `+` does not take `int` and `float`
}
