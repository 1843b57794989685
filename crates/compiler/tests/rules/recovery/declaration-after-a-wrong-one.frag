// ES 1.00, 9: A wrong declaration hides none of the next.
#version 100
precision mediump float;
uniform floot a; //~ error
uniform float b //~ error
    c; //~ error
varying vec2 1d; //~ error
const float e; //~ error
struct S { float a float b; }; //~ error
uniform vec2 f;

void main() {
    float g = f; //~ error
}
