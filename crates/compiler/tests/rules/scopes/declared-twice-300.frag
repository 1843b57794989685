#version 300 es
// ES 3.00, 4.2.2: A name is declared once in a scope.
precision highp float;
out vec4 color;
float g = 1.0;
float g = 2.0; //~ error: `g` is declared twice in one scope
uniform vec4 u;
uniform vec4 u; //~ error: `u` is declared twice in one scope

void main() {
    float a = 1.0;
    int a = 2; //~ error: `a` is declared twice in one scope
    float b, c, b; //~ error: `b` is declared twice in one scope
}
