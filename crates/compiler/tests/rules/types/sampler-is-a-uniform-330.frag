// GLSL 3.30, 4.1.7: A sampler is a uniform or a parameter.
#version 330
out vec4 color;
sampler2D g; //~ error: the sampler `g` is not a uniform
const sampler2D c; //~ error: the sampler `c` is not a uniform

void main() {
    sampler2D a; //~ error: the sampler `a` cannot be a variable of a function
}
