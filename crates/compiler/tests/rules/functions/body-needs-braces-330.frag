// GLSL 3.30, 6.1: The body of a function is enclosed in braces.
#version 330
out vec4 color;
float f() return 1.0; //~ error: expected `{` or `;` after the parameters of a function, found `return`

void main() {
    color = vec4(1.0);
}
