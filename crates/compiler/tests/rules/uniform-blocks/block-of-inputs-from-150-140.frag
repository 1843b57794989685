// GLSL 1.40, 4.3.7: Inputs are no block.
#version 140
out vec4 color;
in Block { //~ error: GLSL 1.40 has no such blocks
    vec4 a;
    vec2 b;
} block;

void main() {
}
