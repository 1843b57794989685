// GLSL 3.30, 4.3.6: Outputs are declared outside of functions.
#version 330
out vec4 color;
void main() {
    out vec4 a; //~ error: `out` is not possible at a variable of a function
}
