#version 300 es
// ES 3.00, 4.3.4: Inputs are declared outside of functions.
precision highp float;
out vec4 color;
void main() {
    in float v; //~ error
}
