// GLSL 3.30, 6.3: The parts of `for` are separated by semicolons.
#version 330
out vec4 color;
void main() {
    for (int i = 0, i < 3, i++) {} //~ error: expected `;` after a declaration, found `<`
}
