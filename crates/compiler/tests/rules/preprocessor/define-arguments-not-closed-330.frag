// GLSL 3.30, 3.3: The arguments of a macro end with `)` in the same line.
#version 330
out vec4 color;
#define F(x //~ error
#define G(x, //~ error

void main() {
    color = vec4(1.0);
}
