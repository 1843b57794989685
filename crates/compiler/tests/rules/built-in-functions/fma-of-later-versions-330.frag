// GLSL 3.30, 8.3: Later versions have fma, frexp and ldexp.
#version 330
out vec4 color;
void main() {
    float a = fma(1.0, 2.0, 3.0); //~ error
    int n;
    float b = frexp(1.0, n); //~ error
    float c = ldexp(1.0, 2); //~ error
}
