// ES 1.00, 9: A declaration has one type.
#version 100
precision mediump float;
uniform vec4 float a; //~ error: the type `float` cannot be a name

void main() {
    int float b = 1; //~ error: the type `float` cannot be a name
}
