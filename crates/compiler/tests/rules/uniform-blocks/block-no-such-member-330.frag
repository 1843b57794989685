// GLSL 3.30, 4.3.7: A member is one of the block's.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
} block;

void main() {
    color = block.b; //~ error: `Block` has no member `b`
}
