// GLSL 3.30, 4.3.7: A block has members.
#version 330
out vec4 color;
uniform Block {}; //~ error: a block needs members

void main() {
    color = vec4(1.0);
}
