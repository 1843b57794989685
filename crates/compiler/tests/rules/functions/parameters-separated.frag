// GLSL 3.30, 6.1: Commas separate parameters and arguments.
#version 330
out vec4 color;
float f(float a float b) { return a; } //~ error

void main() {
    float c = max(1.0 2.0); //~ error
    float d = max(1.0,); //~ error
}
