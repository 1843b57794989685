// GLSL 3.30, 3.3: `##` comes between two tokens.
#version 330
out vec4 color;
#define A ## b //~ error: `##` joins two tokens, here one is missing
#define B a ## //~ error: `##` joins two tokens, here one is missing

void main() {
    color = vec4(1.0);
}
