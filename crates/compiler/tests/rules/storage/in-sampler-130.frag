// GLSL 1.30, 4.1.7: An input is no sampler.
#version 130
out vec4 color;
in sampler2D s; //~ error: the sampler `s` is not a uniform

void main() {
    color = vec4(1.0);
}
