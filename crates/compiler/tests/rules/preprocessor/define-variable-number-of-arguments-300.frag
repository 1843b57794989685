#version 300 es
// ES 3.00, 3.4: The number of arguments of a macro is fixed.
precision highp float;
out vec4 color;
#define F(...) 1 //~ error: expected the name of a parameter of the macro

void main() {
    color = vec4(1.0);
}
