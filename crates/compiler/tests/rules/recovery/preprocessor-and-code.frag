#version 300 es
// ES 3.00, 3.4: Mistakes of the preprocessor and of the code are reported together.
precision highp float;
out vec4 color;
#define A(x) x
#foo //~ error: unknown directive `#foo`
float f() {
    return true; //~ error: the result is of type `bool`; expected `float`
}
#define A(x) y //~ error: the macro `A` is defined differently on line 5

void main() {
    float b = A(1.0, 2.0); //~ error: the macro `A` takes 1 argument, found 2 arguments
    float c = missing; //~ error: there is no variable `missing`
}
