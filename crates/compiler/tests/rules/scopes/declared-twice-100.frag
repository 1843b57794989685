// ES 1.00, 4.2.7: A name is declared once in a scope.
#version 100
precision mediump float;
float g = 1.0;
float g = 2.0; //~ error
uniform vec4 u;
uniform vec4 u; //~ error

void main() {
    float a = 1.0;
    int a = 2; //~ error
    float b, c, b; //~ error
}
