#version 300 es
// ES 3.00, 3.1: `$` is no character of the language.
precision highp float;
out vec4 color;
void main() {
    float a$b = 1.0; //~ error
}
