#version 300 es
// ES 3.00, 4.1.7: A sampler is a uniform or a parameter.
precision highp float;
out vec4 color;
in sampler2D v; //~ error

void main() {
    color = vec4(1.0);
}
