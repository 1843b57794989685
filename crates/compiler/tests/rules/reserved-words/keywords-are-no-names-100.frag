// ES 1.00, 3.7: Keywords cannot be names.
#version 100
precision mediump float;
void main() {
    float if = 1.0; //~ error
    float struct = 1.0; //~ error
    float uniform = 1.0; //~ error
    float discard = 1.0; //~ error
    float true = 1.0; //~ error
    float return = 1.0; //~ error
}
