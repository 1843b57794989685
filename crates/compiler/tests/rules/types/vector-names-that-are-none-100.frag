// ES 1.00, 4.1.5: There are no vectors of one or five.
#version 100
precision mediump float;
void main() {
    vec1 a; //~ error
    vec5 b; //~ error
    float2 c; //~ error
}
