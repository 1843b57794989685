// GLSL 3.30, 4.1.7: A sampler has no value to assign.
#version 330
out vec4 color;
uniform sampler2D s, t;

void main() {
    s = t; //~ error: `s` is a uniform, and cannot be written to
}
