// GLSL 3.30, 5.1: Each thing that the machine cannot have is an error at its place.
#version 330
out vec4 color;
uniform int a, b;
uniform float u;
int twice(int x) {
    return x ^ a; //~ error: the machine has no operations on bits but shifts by a constant and `& (2^n - 1)`
}

void main() {
    int c = a & b; //~ error: the machine has no operations on bits but shifts by a constant and `& (2^n - 1)`
    if (u > 0.0) {
        c += twice(c);
        c = c | b; //~ error: the machine has no operations on bits but shifts by a constant and `& (2^n - 1)`
    }
    color = vec4(c);
}
