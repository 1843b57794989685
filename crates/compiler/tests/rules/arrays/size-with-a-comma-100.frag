#version 100
// ES 1.00, 9: The size of an array is a constant expression, which has no comma.
void main() {
    lowp float a[1, 2]; //~ error: expected `]` after the array size, found `,`
}
