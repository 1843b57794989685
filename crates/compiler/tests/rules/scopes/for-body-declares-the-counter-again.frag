// ES 1.00, 6.3: The head of `for` and its body are one scope.
#version 100
precision mediump float;
void main() {
    for (int i = 0; i < 2; i++) {
        int i = 5; //~ error: `i` is declared twice in one scope
    }
}
