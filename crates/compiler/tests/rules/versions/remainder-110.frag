// GLSL 1.10, 5.1: The operator `%` is reserved.
#version 110
uniform int n;

void main() {
    int a = n % 5; //~ error: GLSL 1.10 has no operator `%`
}
