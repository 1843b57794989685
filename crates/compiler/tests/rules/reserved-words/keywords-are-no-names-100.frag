// ES 1.00, 3.7: Keywords cannot be names.
#version 100
precision mediump float;
void main() {
    float if = 1.0; //~ error: expected the name of a variable, found the keyword `if`
    float struct = 1.0; //~ error: expected the name of a variable, found the keyword `struct`
    float uniform = 1.0; //~ error: expected the name of a variable, found the keyword `uniform`
    float discard = 1.0; //~ error: expected the name of a variable, found the keyword `discard`
    float true = 1.0; //~ error: expected the name of a variable, found the keyword `true`
    float return = 1.0; //~ error: expected the name of a variable, found the keyword `return`
}
