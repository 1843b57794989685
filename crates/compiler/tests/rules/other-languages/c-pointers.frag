// GLSL 3.30, 5.1: There are no pointers.
#version 330
out vec4 color;
float f(float *a) { return 1.0; } //~ error: expected `)` after the parameters of a function, found `*`

void main() {
    float b = 1.0;
    float c = &b; //~ error: expected an expression, found `&`
}
