#version 300 es
// ES 3.00, 4.1.7: An input is no sampler.
precision highp float;
out vec4 color;
in sampler2D s; //~ error: the sampler `s` is not a uniform

void main() {
    color = vec4(1.0);
}
