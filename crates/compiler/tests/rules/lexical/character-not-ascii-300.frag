#version 300 es
// ES 3.00, 3.1: A name consists of ASCII letters, digits and underscores.
precision highp float;
out vec4 color;
void main() {
    float größe = 1.0; //~ error: the character 'ö' does not exist in the language
}
