// GLSL 3.30, 5.9: An int is not converted to uint.
#version 330
out vec4 color;
void main() {
    uint a = 2u;
    uint b = a + 1; //~ error: `+` does not take `uint` and `int`
    bool c = a == 2; //~ error: `==` does not take `uint` and `int`
}
