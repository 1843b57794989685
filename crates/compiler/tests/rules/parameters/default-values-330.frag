// GLSL 3.30, 6.1: Parameters have no default values.
#version 330
out vec4 color;
float f(float a = 1.0) { return a; } //~ error: expected `)` after the parameters of a function, found `=`

void main() {
    color = vec4(1.0);
}
