#version 300 es
// ES 3.00, 4.3.5: A uniform is declared outside of functions.
precision highp float;
out vec4 color;
void main() {
    uniform float u; //~ error
}
