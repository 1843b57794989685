// GLSL 3.30, 6.2: `if` has a condition.
#version 330
out vec4 color;
void main() {
    if () {} //~ error: expected an expression, found `)`
}
