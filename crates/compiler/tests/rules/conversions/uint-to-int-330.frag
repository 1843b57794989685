// GLSL 3.30, 4.1.10: A uint is not converted to int.
#version 330
out vec4 color;
uniform uint n;

void main() {
    int a = n; //~ error: the initial value is of type `uint`; expected `int`
    int b = 1u; //~ error: the initial value is of type `uint`; expected `int`
    ivec2 c = uvec2(1u); //~ error: the initial value is of type `uvec2`; expected `ivec2`
}
