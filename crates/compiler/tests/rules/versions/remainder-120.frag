// GLSL 1.20, 5.1: The operator `%` is reserved.
#version 120
uniform int n;

void main() {
    int a = n % 5; //~ error: GLSL 1.20 has no operator `%`
}
