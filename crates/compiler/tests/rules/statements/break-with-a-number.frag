// GLSL 3.30, 6.4: `break` has no number and no label.
#version 330
out vec4 color;
void main() {
    for (int i = 0; i < 3; i++) break 1; //~ error: expected `;` after `break`, found `1`
}
