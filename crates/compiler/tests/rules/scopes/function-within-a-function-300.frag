#version 300 es
// ES 3.00, 6.1: Functions are defined at global scope.
precision highp float;
out vec4 color;
void main() {
    float f() { return 1.0; } //~ error: the function `f` is declared within another
    color = vec4(1.0);
}
