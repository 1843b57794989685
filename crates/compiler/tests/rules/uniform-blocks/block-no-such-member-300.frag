#version 300 es
// ES 3.00, 4.3.7: A member is one of the block's.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
} block;

void main() {
    color = block.b; //~ error: `Block` has no member `b`
}
