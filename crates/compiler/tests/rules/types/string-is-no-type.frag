#version 300 es
// ES 3.00, 4.1: There are no strings and no characters.
precision highp float;
out vec4 color;
void main() {
    string a; //~ error: there is no type `string`
    char b; //~ error: there is no type `char`
}
