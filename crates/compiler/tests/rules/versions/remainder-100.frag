// ES 1.00, 5.1: The operator `%` is reserved.
#version 100
precision mediump float;
uniform int n;

void main() {
    int a = n % 5; //~ error: GLSL ES 1.00 has no operator `%`
}
