// ES 1.00, 4.3.2: The initial value of a constant is a constant expression, in a loop too.
#version 100
precision mediump float;
void main() {
    for (int i = 0; i < 3; i++) {
        const int n = i; //~ error: the value of the constant `n` is not a constant expression
    }
}
