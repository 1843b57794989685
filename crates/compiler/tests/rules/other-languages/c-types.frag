#version 300 es
// ES 3.00, 4.1: char and size_t are types of C.
precision highp float;
out vec4 color;
void main() {
    char a = 1; //~ error: there is no type `char`
    size_t b = 1; //~ error: there is no type `size_t`
}
