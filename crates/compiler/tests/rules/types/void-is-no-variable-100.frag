// ES 1.00, 4.1.1: Nothing but a function's result is void.
#version 100
precision mediump float;
void g; //~ error
uniform void u; //~ error

void main() {
    void a; //~ error
}
