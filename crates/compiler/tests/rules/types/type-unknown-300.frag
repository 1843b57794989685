#version 300 es
// ES 3.00, 4.1: A type is a word of the language or the name of a structure before it.
precision highp float;
out vec4 color;
Foo g; //~ error: there is no type `Foo`
uniform Bar u; //~ error: there is no type `Bar`

void main() {
    Thing a; //~ error: there is no type `Thing`
}
