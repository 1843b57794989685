// ES 1.00, 6.4: A function without a result returns no value.
#version 100
precision mediump float;
void f() {
    return 1.0; //~ error
}
void g() {}

void main() {
    return 1.0; //~ error
}
