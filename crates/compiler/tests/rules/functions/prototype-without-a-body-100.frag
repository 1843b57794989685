// ES 1.00, 6.1: A function that is called has a body.
#version 100
precision mediump float;
float f(float a);

void main() {
    gl_FragColor = vec4(f(1.0)); //~ error: the function `f` is called here, and has no body
}
