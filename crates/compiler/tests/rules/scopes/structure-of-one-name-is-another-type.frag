#version 300 es
// ES 3.00, 4.2.2: A local structure hides a global one of its name: they are different types.
precision highp float;
out vec4 color;
struct S { float a; };
S outer() { return S(1.0); }

void main() {
    struct S { float a; };
    S s = outer(); //~ error: the initial value is of type `S`; expected `S`
}
