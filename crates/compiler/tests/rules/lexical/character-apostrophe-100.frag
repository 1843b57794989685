// ES 1.00, 3.1: There are no characters as values, so `'` is no character of the language.
#version 100
precision mediump float;
void main() {
    float a = float('a'); //~ error: the character '\'' does not exist in the language
}
