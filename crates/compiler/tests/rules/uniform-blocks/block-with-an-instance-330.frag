// GLSL 3.30, 4.3.7: The members of a block with an instance name are read through that name.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
    float b;
} block;

void main() {
    color = block.a * block.b;
}
