// ES 1.00, 3.4: The arguments of a macro end with `)` in the same line.
#version 100
precision mediump float;
#define F(x //~ error: expected `,` or `)` after a parameter of the macro
#define G(x, //~ error: expected the name of a parameter of the macro

void main() {
    gl_FragColor = vec4(1.0);
}
