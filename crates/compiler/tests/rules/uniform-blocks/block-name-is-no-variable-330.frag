// GLSL 3.30, 4.3.7: The name of a block is used nowhere in the shader.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
} block;

void main() {
    color = Block.a; //~ error: `Block` is a block, not a value
}
