// GLSL 3.30, 9: There are no semantics.
#version 330
out vec4 color;
in vec2 uv : TEXCOORD0; //~ error: expected `;` after a declaration, found `:`

void main() {
    color = vec4(1.0);
}
