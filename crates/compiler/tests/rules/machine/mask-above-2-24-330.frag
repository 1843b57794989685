// GLSL 3.30, 5.9: Integers are exact up to 2^24, and so are masks.
#version 330
out vec4 color;
uniform uint a;

void main() {
    color = vec4(a & 0x80000000u); //~ error: integers are exact up to 2^24: a mask of 2147483648 is not possible
}
