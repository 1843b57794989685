// GLSL 3.30, 8.7: Gradients of a fetch have no effect on the machine: a warning.
#version 330
out vec4 color;
uniform sampler2D s;
uniform vec2 u;

void main() {
    color = textureGrad(s, vec2(0.5), u, u); //~ warning: the machine has no levels of detail: biases, levels and gradients have no effect
}
