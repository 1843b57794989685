// GLSL 3.30, 4.1.4: An exponent has at least one digit.
#version 330
out vec4 color;
void main() {
    float a = 1.0e; //~ error: `1.0e` is not a number
    float b = 1e+; //~ error: `1e` is not a number
}
