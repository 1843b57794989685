// GLSL 3.30, 4.3.7: The members of a block with an instance name are no names outside.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
} block;

void main() {
    color = a; //~ error: there is no variable `a`
}
