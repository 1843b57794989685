// GLSL 3.30, 5.9: The operators of bits are for integers.
#version 330
out vec4 color;
void main() {
    float a = 1.0 & 2.0; //~ error
    float b = 1.0 << 1; //~ error
    int c = 1 >> 1.0; //~ error
    float d = ~1.0; //~ error
    bool e = true & false; //~ error
    int f = 1 | true; //~ error
}
