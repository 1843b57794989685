// GLSL 3.30, 4.3.5: A uniform is declared outside of functions.
#version 330
out vec4 color;
void main() {
    uniform float u; //~ error: `uniform` is not possible at a variable of a function
}
