#version 300 es
// ES 3.00, 4.3.7: A block has no samplers.
precision highp float;
out vec4 color;
uniform Block {
    sampler2D s; //~ error: a sampler cannot be a member of a block
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
