// ES 1.00, 6.1: Parameters have no default values.
#version 100
precision mediump float;
float f(float a = 1.0) { return a; } //~ error: expected `)` after the parameters of a function, found `=`

void main() {
    gl_FragColor = vec4(1.0);
}
