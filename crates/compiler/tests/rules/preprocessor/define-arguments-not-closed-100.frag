// ES 1.00, 3.4: The arguments of a macro end with `)` in the same line.
#version 100
precision mediump float;
#define F(x //~ error
#define G(x, //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
