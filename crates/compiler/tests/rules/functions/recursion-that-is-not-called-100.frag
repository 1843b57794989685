// ES 1.00, 6.1: Recursion is an error in what is never called, too.
#version 100
precision mediump float;
float f(float a) {
    return f(a); //~ error: the function `f` calls itself
}

void main() {
    gl_FragColor = vec4(1.0);
}
