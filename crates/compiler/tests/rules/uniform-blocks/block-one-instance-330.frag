// GLSL 3.30, 4.3.7: A block has one instance name.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
} block, //~ error: expected `;` after a block, found `,`
other;

void main() {
    color = vec4(1.0);
}
