#version 300 es
// ES 3.00, 4.3.7: The instance name of a block may be an array.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
} blocks[2];

void main() {
    color = blocks[0].a + blocks[1].a;
}
