// GLSL 1.50, 4.3.7: Inputs may be a block.
// value: 1 0 0 1
#version 150
out vec4 color;
in Block {
    vec4 a;
    vec2 b;
} block;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
