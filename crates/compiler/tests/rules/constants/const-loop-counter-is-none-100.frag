// ES 1.00, 5.10: The counter of a loop is no constant expression.
#version 100
precision mediump float;
void main() {
    for (int i = 1; i < 3; i++) {
        float a[i]; //~ error
    }
}
