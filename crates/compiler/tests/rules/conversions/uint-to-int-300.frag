#version 300 es
// ES 3.00, 5.8: A uint is not converted to int.
precision highp float;
out vec4 color;
uniform uint n;

void main() {
    int a = n; //~ error: the initial value is of type `uint`; expected `int`
    int b = 1u; //~ error: the initial value is of type `uint`; expected `int`
    ivec2 c = uvec2(1u); //~ error: the initial value is of type `uvec2`; expected `ivec2`
}
