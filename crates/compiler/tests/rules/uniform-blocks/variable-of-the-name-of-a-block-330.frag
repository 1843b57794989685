// GLSL 3.30, 4.3.7: A local variable may be called like a block.
// value: 3 0 0 1
#version 330
out vec4 color;
uniform Block {
    vec4 a;
};

void main() {
    float Block = 3.0;
    color = vec4(Block, 0.0, 0.0, 1.0);
}
