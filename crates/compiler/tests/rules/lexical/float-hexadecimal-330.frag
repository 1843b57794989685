// GLSL 3.30, 4.1.4: There are no hexadecimal floats.
#version 330
out vec4 color;
void main() {
    float a = 0x1.8; //~ error: expected `;` after a declaration, found `.8`
}
