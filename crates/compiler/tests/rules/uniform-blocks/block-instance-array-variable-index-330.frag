// GLSL 3.30, 4.3.7: An array of blocks is indexed by constant expressions.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
} blocks[2];
uniform int n;

void main() {
    color = blocks[n].a; //~ error: the index of blocks is a constant expression
}
