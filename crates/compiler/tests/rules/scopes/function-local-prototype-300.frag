#version 300 es
// ES 3.00, 6.1: Functions are declared at global scope.
precision highp float;
out vec4 color;
void main() {
    float f(float a); //~ error: the function `f` is declared within another
}
