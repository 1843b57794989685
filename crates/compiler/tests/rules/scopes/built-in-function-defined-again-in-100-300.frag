#version 300 es
// ES 3.00, 6.1: A built-in function is not defined again.
precision highp float;
out vec4 color;
float sin(float x) { return x; } //~ error
vec4 texture(sampler2D s, vec2 p) { return vec4(1.0); } //~ error

void main() {
    color = vec4(1.0);
}
