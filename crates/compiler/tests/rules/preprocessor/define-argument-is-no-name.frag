#version 300 es
// ES 3.00, 3.4: The arguments of a macro are names.
precision highp float;
out vec4 color;
#define F(1) 1 //~ error: expected the name of a parameter of the macro
#define G(a b) a //~ error: expected `,` or `)` after a parameter of the macro
#define H(a,) a //~ error: expected the name of a parameter of the macro

void main() {
    color = vec4(1.0);
}
