// GLSL 3.30, 4.3.7: Inputs may be a block.
// value: 1 0 0 1
#version 330
out vec4 color;
in Block {
    vec4 a;
    vec2 b;
} block;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
