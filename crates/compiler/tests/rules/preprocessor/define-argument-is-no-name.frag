#version 300 es
// ES 3.00, 3.4: The arguments of a macro are names.
precision highp float;
out vec4 color;
#define F(1) 1 //~ error
#define G(a b) a //~ error
#define H(a,) a //~ error

void main() {
    color = vec4(1.0);
}
