// GLSL 1.20, 4.1.4: The suffix f needs a point or an exponent.
#version 120
void main() {
    float a = 1f; //~ error
}
