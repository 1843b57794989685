#version 300 es
// ES 3.00, 4.6.1: `invariant` stands outside of functions.
precision highp float;
out vec4 color;
void main() {
    invariant float a = 1.0; //~ error
}
