// GLSL 3.30, 3.3: The number of arguments of a macro is fixed.
#version 330
out vec4 color;
#define F(...) 1 //~ error: expected the name of a parameter of the macro

void main() {
    color = vec4(1.0);
}
