// ES 1.00, 9: A declaration names what it declares.
#version 100
precision mediump float;
void main() {
    float = 1.0; //~ error: expected the name of a variable, found `=`
    float a b; //~ error: expected `;` after a declaration, found `b`
    float a, ; //~ error: expected the name of a variable, found `;`
}
