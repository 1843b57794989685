// ES 1.00, 6.1: The qualifiers of all declarations of a function match.
#version 100
precision mediump float;
float f(lowp float x);
float f(mediump float x) { //~ error: this parameter of `f` has other qualifiers than on line 4
    return x;
}
float g(highp float x);
float g(highp float x) {
    return x;
}

void main() {
    gl_FragColor = vec4(f(1.0) + g(1.0));
}
