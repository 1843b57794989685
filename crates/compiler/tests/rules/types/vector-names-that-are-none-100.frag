// ES 1.00, 4.1.5: There are no vectors of one or five.
#version 100
precision mediump float;
void main() {
    vec1 a; //~ error: there is no type `vec1`
    vec5 b; //~ error: there is no type `vec5`
    float2 c; //~ error: there is no type `float2`
}
