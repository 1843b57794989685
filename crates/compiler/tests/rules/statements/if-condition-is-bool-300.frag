#version 300 es
// ES 3.00, 6.2: A condition is one bool.
precision highp float;
out vec4 color;
uniform int n;
uniform float u;

void main() {
    if (n) {} //~ error: the condition of `if` is of type `int`; expected `bool`
    if (u) {} //~ error: the condition of `if` is of type `float`; expected `bool`
    if (1) {} //~ error: the condition of `if` is of type `int`; expected `bool`
    if (bvec2(true)) {} //~ error: the condition of `if` is of type `bvec2`; expected `bool`
    if (vec2(1.0)) {} //~ error: the condition of `if` is of type `vec2`; expected `bool`
}
