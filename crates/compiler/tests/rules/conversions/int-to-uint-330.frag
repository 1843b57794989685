// GLSL 3.30, 4.1.10: An int is not converted to uint.
#version 330
out vec4 color;
uniform int n;

void main() {
    uint a = n; //~ error: the initial value is of type `int`; expected `uint`
    uint b = 4; //~ error: the initial value is of type `int`; expected `uint`
}
