// ES 1.00, 9: A wrong declaration hides none of the next.
#version 100
precision mediump float;
uniform floot a; //~ error: there is no type `floot`
uniform float b //~ error: expected `;` after a declaration
    c; //~ error: there is no type `c`
varying vec2 1d; //~ error: expected the name of a variable, found `1d`
const float e; //~ error: the constant `e` needs a value
struct S { float a float b; }; //~ error: a structure needs members
uniform vec2 f;

void main() {
    float g = f; //~ error: the initial value is of type `vec2`; expected `float`
}
