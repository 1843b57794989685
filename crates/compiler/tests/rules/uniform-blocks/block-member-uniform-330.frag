// GLSL 3.30, 4.3.7: `uniform` may be repeated at the members of a uniform block.
#version 330
out vec4 color;
uniform Block {
    uniform vec4 a;
    float b;
};

void main() {
    color = a * b;
}
