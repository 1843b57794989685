// ES 1.00, 3.1: `@` is no character of the language.
#version 100
precision mediump float;
@ //~ error: the character '@' does not exist in the language

void main() {
    gl_FragColor = vec4(1.0);
}
