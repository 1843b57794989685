// GLSL 3.30, 4.3.7: A block has no samplers.
#version 330
out vec4 color;
uniform Block {
    sampler2D s; //~ error: a sampler cannot be a member of a block
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
