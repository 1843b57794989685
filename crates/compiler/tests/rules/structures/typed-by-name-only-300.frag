#version 300 es
// ES 3.00, 4.1.8: Structures with equal members are different types.
precision highp float;
out vec4 color;
struct S { float a; };
struct T { float a; };
float f(S s) { return s.a; }

void main() {
    S s = T(1.0); //~ error: the initial value is of type `T`; expected `S`
    T t = T(1.0);
    s = t; //~ error: the value is of type `T`; expected `S`
    float a = f(t); //~ error: no function `f` takes (T)
}
