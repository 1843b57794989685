// GLSL 3.30, 5.9: The machine shifts by constants only.
#version 330
out vec4 color;
uniform int a, b;

void main() {
    int c = a << b; //~ error: the machine has no operations on bits but shifts by a constant and `& (2^n - 1)`
    int d = a >> b; //~ error: the machine has no operations on bits but shifts by a constant and `& (2^n - 1)`
    color = vec4(c + d);
}
