// GLSL 3.30, 4.1.3: 8 and 9 are no octal digits.
#version 330
out vec4 color;
void main() {
    int a = 08; //~ error
    int b = 0129; //~ error
}
