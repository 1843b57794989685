// GLSL 3.30, 6.1: Commas separate parameters and arguments.
#version 330
out vec4 color;
float f(float a float b) { return a; } //~ error: expected `)` after the parameters of a function, found `float`

void main() {
    float c = max(1.0 2.0); //~ error: expected `)` after the arguments of a function, found `2.0`
    float d = max(1.0,); //~ error: expected an expression, found `)`
}
