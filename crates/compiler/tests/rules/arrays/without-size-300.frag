#version 300 es
// ES 3.00, 4.1.9: An array has a size.
precision highp float;
out vec4 color;
float g[]; //~ error

void main() {
    float a[]; //~ error
}
