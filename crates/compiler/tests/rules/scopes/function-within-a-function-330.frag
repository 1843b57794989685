// GLSL 3.30, 6.1: Functions are defined at global scope.
#version 330
out vec4 color;
void main() {
    float f() { return 1.0; } //~ error: the function `f` is declared within another
    color = vec4(1.0);
}
