// GLSL 3.30, 3.3: The arguments of a macro end with `)` in the same line.
#version 330
out vec4 color;
#define F(x //~ error: expected `,` or `)` after a parameter of the macro
#define G(x, //~ error: expected the name of a parameter of the macro

void main() {
    color = vec4(1.0);
}
