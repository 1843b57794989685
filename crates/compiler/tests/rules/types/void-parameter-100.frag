// ES 1.00, 6.1: `(void)` is an empty list of parameters.
// value: 2 0 0 1
#version 100
precision mediump float;
float f(void) { return 2.0; }
void main(void) {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
