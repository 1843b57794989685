// ES 1.00, 4.1.5: The components of a bvec are bools.
#version 100
precision mediump float;
void main() {
    bvec2 a = bvec2(true, false);
    float b = a.x; //~ error: the initial value is of type `bool`; expected `float`
    a.x = 1.0; //~ error: the value is of type `float`; expected `bool`
}
