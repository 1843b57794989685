// GLSL 3.30, 8.7: A bias, a level and gradients have no effect on the machine: a warning.
#version 330
out vec4 color;
uniform sampler2D s;

void main() {
    color = texture(s, vec2(0.5), 1.0); //~ warning: the machine has no levels of detail: biases, levels and gradients have no effect
}
