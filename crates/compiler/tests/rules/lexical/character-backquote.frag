#version 300 es
// ES 3.00, 3.1: A back-quote is no character of the language.
precision highp float;
out vec4 color;
void main() {
    float a = `1.0`; //~ error: the character '`' does not exist in the language
}
