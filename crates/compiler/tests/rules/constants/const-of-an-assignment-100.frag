// ES 1.00, 5.10: An assignment is no constant expression.
#version 100
precision mediump float;
void main() {
    int n = 1;
    const int a = n = 2; //~ error: the value of the constant `a` is not a constant expression
    const int b = n++; //~ error: the value of the constant `b` is not a constant expression
}
