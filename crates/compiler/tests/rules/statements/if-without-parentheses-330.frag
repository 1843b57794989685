// GLSL 3.30, 6.2: A condition is enclosed in parentheses.
#version 330
out vec4 color;
void main() {
    if true {} //~ error: expected `(` after `if`, found `true`
}
