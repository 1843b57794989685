// ES 1.00, 5.1: The operators of bits are reserved.
#version 100
precision mediump float;
void main() {
    int a = 1;
    int b = a & 1; //~ error: GLSL ES 1.00 has no operator `&`
    int c = a | 1; //~ error: GLSL ES 1.00 has no operator `|`
    int d = a ^ 1; //~ error: GLSL ES 1.00 has no operator `^`
    int e = ~a; //~ error: GLSL ES 1.00 has no operator `~`
    int f = a << 1; //~ error: GLSL ES 1.00 has no operator `<<`
    int g = a >> 1; //~ error: GLSL ES 1.00 has no operator `>>`
    a &= 1; //~ error: GLSL ES 1.00 has no operator `&=`
    a <<= 1; //~ error: GLSL ES 1.00 has no operator `<<=`
    a %= 2; //~ error: GLSL ES 1.00 has no operator `%=`
}
