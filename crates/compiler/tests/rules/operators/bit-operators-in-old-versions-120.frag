// GLSL 1.20, 5.1: The operators of bits are reserved.
#version 120
void main() {
    int a = 1;
    int b = a & 1; //~ error: GLSL 1.20 has no operator `&`
    int c = a | 1; //~ error: GLSL 1.20 has no operator `|`
    int d = a ^ 1; //~ error: GLSL 1.20 has no operator `^`
    int e = ~a; //~ error: GLSL 1.20 has no operator `~`
    int f = a << 1; //~ error: GLSL 1.20 has no operator `<<`
    int g = a >> 1; //~ error: GLSL 1.20 has no operator `>>`
    a &= 1; //~ error: GLSL 1.20 has no operator `&=`
    a <<= 1; //~ error: GLSL 1.20 has no operator `<<=`
    a %= 2; //~ error: GLSL 1.20 has no operator `%=`
}
