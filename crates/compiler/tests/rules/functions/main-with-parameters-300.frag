#version 300 es
// ES 3.00, 6.1: `main` takes nothing.
precision highp float;
out vec4 color;
void main(float a) { //~ error: `main` has no parameters
}
