#version 300 es
// ES 3.00, 4.3.7: The name of a block is used nowhere in the shader.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
} block;

void main() {
    color = Block.a; //~ error: `Block` is a block, not a value
}
