// GLSL 3.30, 6.3: `for` has three parts.
#version 330
out vec4 color;
void main() {
    for (int i = 0; i < 3) {} //~ error: expected `;` after the condition of `for`, found `)`
}
