// ES 1.00, 5.8: A type is no variable.
#version 100
precision mediump float;
void main() {
    float = 1.0; //~ error: expected the name of a variable, found `=`
}
