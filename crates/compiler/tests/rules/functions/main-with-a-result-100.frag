// ES 1.00, 6.1: `main` returns nothing.
#version 100
precision mediump float;
int main() { //~ error: `main` has no result
    return 1;
}
