// GLSL 3.30, 5.9: A shift by the number of bits or more is undefined.
#version 330
out vec4 color;
uniform int a;

void main() {
    int c = a << 32; //~ error: a shift by 32: expected 0 to 31
    int d = a >> -1; //~ error: a shift by -1: expected 0 to 31
    color = vec4(c + d);
}
