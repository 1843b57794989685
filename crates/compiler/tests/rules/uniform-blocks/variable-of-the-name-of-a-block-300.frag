#version 300 es
// ES 3.00, 4.3.7: A local variable may be called like a block.
// value: 3 0 0 1
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
};

void main() {
    float Block = 3.0;
    color = vec4(Block, 0.0, 0.0, 1.0);
}
