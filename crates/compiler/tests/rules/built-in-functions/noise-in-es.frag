#version 300 es
// ES 3.00, 8: There is no noise.
precision highp float;
out vec4 color;
void main() {
    float a = noise1(1.0); //~ error
}
