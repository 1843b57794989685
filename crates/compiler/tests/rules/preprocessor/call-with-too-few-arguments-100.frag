// ES 1.00, 3.4: A macro takes as many arguments as it was defined with.
#version 100
precision mediump float;
#define ADD(a, b) ((a) + (b))

void main() {
    float a = ADD(1.0); //~ error: the macro `ADD` takes 2 arguments, found 1 argument
}
