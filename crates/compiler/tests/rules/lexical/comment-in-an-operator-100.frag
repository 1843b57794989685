// ES 1.00, 3.5: A comment counts as one space, so it cannot be within an operator.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    a +/**/= 1.0; //~ error: expected an expression, found `=`
}
