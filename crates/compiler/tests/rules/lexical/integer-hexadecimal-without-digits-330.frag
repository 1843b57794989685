// GLSL 3.30, 4.1.3: 0x needs a digit.
#version 330
out vec4 color;
void main() {
    int a = 0x; //~ error: `0x` has no digits
}
