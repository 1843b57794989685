// ES 1.00, 6.1: A function does not call itself.
#version 100
precision mediump float;
float f(float a) {
    return a > 1.0 ? f(a - 1.0) : a; //~ error: the function `f` calls itself
}

void main() {
    gl_FragColor = vec4(f(3.0));
}
