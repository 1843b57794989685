// ES 1.00, 3.4: The call of a macro ends with `)`.
#version 100
precision mediump float;
#define NEG(a) (-(a))

void main() {
    float a = NEG(1.0; //~ error: the use of macro `NEG` has no `)`
}
