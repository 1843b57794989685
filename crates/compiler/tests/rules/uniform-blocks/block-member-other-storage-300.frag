#version 300 es
// ES 3.00, 4.3.7: A member of a uniform block has no other storage.
precision highp float;
out vec4 color;
uniform Block {
    in vec4 a; //~ error: this does not fit the block's own qualifier
    const float b; //~ error: `const` is not allowed on a member of a block
    out float c; //~ error: this does not fit the block's own qualifier
    float d;
};

void main() {
    color = vec4(1.0);
}
