// ES 1.00, 3.4: A macro is not defined again with other arguments.
#version 100
precision mediump float;
#define F(x) (1.0)
#define F(x, y) (1.0) //~ error
#define G(x) (x)
#define G(y) (y) //~ error
#define H 1.0
#define H() 1.0 //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
