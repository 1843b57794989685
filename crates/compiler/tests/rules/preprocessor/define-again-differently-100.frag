// ES 1.00, 3.4: A macro is not defined again with another text.
#version 100
precision mediump float;
#define A 1.0
#define A 2.0 //~ error
#define F(x) (x)
#define F(x) (x + 1.0) //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
