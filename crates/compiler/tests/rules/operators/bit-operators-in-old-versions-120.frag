// GLSL 1.20, 5.1: The operators of bits are reserved.
#version 120
void main() {
    int a = 1;
    int b = a & 1; //~ error
    int c = a | 1; //~ error
    int d = a ^ 1; //~ error
    int e = ~a; //~ error
    int f = a << 1; //~ error
    int g = a >> 1; //~ error
    a &= 1; //~ error
    a <<= 1; //~ error
    a %= 2; //~ error
}
