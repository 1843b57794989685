// GLSL 3.30, 6.1: Functions are declared at global scope.
#version 330
out vec4 color;
void main() {
    float f(float a); //~ error: the function `f` is declared within another
}
