// ES 1.00, 6.1: A function has a type of result.
#version 100
precision mediump float;
f(float a) { return a; } //~ error: expected the name of a variable, found `(`

void main() {
    gl_FragColor = vec4(1.0);
}
