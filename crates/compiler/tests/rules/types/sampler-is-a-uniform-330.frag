// GLSL 3.30, 4.1.7: A sampler is a uniform or a parameter.
#version 330
out vec4 color;
sampler2D g; //~ error
const sampler2D c; //~ error

void main() {
    sampler2D a; //~ error
}
