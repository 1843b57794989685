// GLSL 3.30, 4.4: A parameter is no uniform and no input.
#version 330
out vec4 color;
float f(uniform float a) { return a; } //~ error: `uniform` is not allowed on a parameter
float g(attribute float a) { return a; } //~ error: `attribute` is not allowed on a parameter

void main() {
    color = vec4(1.0);
}
