// GLSL 3.30, 6.2: `if` has a statement.
#version 330
out vec4 color;
void main() {
    if (true) } //~ error: expected a statement after `if (...)`, found `}`
