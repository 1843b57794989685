// GLSL 3.30, 3.4: A comment counts as one space, so it cannot be within a name or an operator.
#version 330
out vec4 color;
void main() {
    fl/**/oat a = 1.0; //~ error: expected `;` after a declaration, found `a`
    color = vec4(1.0);
}
