#version 300 es
// ES 3.00, 4.1.7: A sampler is a uniform or a parameter.
precision highp float;
out vec4 color;
sampler2D g; //~ error
const sampler2D c; //~ error

void main() {
    sampler2D a; //~ error
}
