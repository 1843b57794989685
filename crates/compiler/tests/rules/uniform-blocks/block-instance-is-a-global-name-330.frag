// GLSL 3.30, 4.3.7: The instance name of a block is a global name.
#version 330
out vec4 color;
float block = 1.0;
uniform Block {
    vec4 a;
} block; //~ error: `block` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
