// ES 1.00, 6.1: A function does not call itself, not by others either.
#version 100
precision mediump float;
float g(float a);
float f(float a) {
    return g(a);
}
float g(float a) {
    return f(a); //~ error: the function `f` calls itself
}

void main() {
    gl_FragColor = vec4(f(3.0));
}
