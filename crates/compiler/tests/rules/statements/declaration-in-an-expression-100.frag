// ES 1.00, 9: A declaration is no expression.
#version 100
precision mediump float;
void main() {
    float a = (float b = 1.0); //~ error: expected `(` after the type of a constructor, found `b`
}
