// GLSL 3.30, 3.3: The arguments of a macro have different names.
#version 330
out vec4 color;
#define F(x, x) x //~ error: the macro has two parameters `x`

void main() {
    color = vec4(1.0);
}
