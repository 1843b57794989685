// ES 1.00, 3.1: `$` is no character of the language.
#version 100
precision mediump float;
void main() {
    float a$b = 1.0; //~ error: the character '$' does not exist in the language
}
