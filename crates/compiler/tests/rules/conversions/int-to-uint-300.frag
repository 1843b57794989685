#version 300 es
// ES 3.00, 5.8: An int is not converted to uint.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    uint a = n; //~ error: the initial value is of type `int`; expected `uint`
    uint b = 4; //~ error: the initial value is of type `int`; expected `uint`
}
