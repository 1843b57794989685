// GLSL 3.30, 4.1.4: The suffix f needs a point or an exponent.
#version 330
out vec4 color;
void main() {
    float a = 1f; //~ error: `1f` is not a number of the language
}
