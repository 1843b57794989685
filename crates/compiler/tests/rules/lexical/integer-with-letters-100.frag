// ES 1.00, 4.1.3: Letters other than a suffix cannot follow a number.
#version 100
precision mediump float;
void main() {
    int a = 12abc; //~ error: `12abc` is not a number
}
