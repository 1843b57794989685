#version 300 es
// ES 3.00, 5: Every kind of mistake of types.
precision highp float;
out vec4 color;
uniform vec3 v;
uniform mat3 m;
uniform int n;
uniform bool b;
struct S { float a; };

void main() {
    float c = v; //~ error: the initial value is of type `vec3`; expected `float`
    vec2 d = v; //~ error: the initial value is of type `vec3`; expected `vec2`
    int e = 1.0; //~ error: the initial value is of type `float`; expected `int`
    bool f = n; //~ error: the initial value is of type `int`; expected `bool`
    S g = 1.0; //~ error: the initial value is of type `float`; expected `S`
    mat2 h = m; //~ error: the initial value is of type `mat3`; expected `mat2`
    c = b ? 1.0 : n; //~ error: both sides of `?:` must have one type, not `float` and `int`
    c = v[1.0]; //~ error: an index is an integer, not `float`
    d = m * d; //~ error: `*` does not take `mat3` and `vec2`
    e = n + 1.0; //~ error: `+` does not take `int` and `float`
    f = v < v; //~ error: `<` compares two numbers, not `vec3` and `vec3`
    if (n) {} //~ error: the condition of `if` is of type `int`; expected `bool`
    c = -b; //~ error: `-` takes numbers, not `bool`
    g = S(v); //~ error: the value of the member `a` of `S` is of type `vec3`; expected `float`
    c = g; //~ error: the value is of type `S`; expected `float`
}
