// ES 1.00, 3.4: The arguments of a macro have different names.
#version 100
precision mediump float;
#define F(x, x) x //~ error: the macro has two parameters `x`

void main() {
    gl_FragColor = vec4(1.0);
}
