// ES 1.00, 5.6: An index is one number: `m[0, 1]` is m[1], a column.
#version 100
precision mediump float;
void main() {
    mat2 m = mat2(1.0);
    float a = m[0, 1]; //~ error: the initial value is of type `vec2`; expected `float`
}
