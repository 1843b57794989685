// GLSL 1.10, 5.9: Both sides of `:` have one type.
#version 110
uniform bool b;

void main() {
    float a = b ? 1 : 2.5; //~ error: both sides of `?:` must have one type, not `int` and `float`
}
