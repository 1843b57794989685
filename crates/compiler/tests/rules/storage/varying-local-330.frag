// GLSL 3.30, 4.3.4: Inputs are declared outside of functions.
#version 330
out vec4 color;
void main() {
    in float v; //~ error: `in` is not possible at a variable of a function
}
