// GLSL 3.30, 6: There are no labels.
#version 330
out vec4 color;
void main() {
    again: //~ error: expected `;` after this expression, found `:`
    color = vec4(1.0);
}
