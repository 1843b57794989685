// GLSL 1.20, 8.3: There is no modf.
#version 120
uniform float u;

void main() {
    float whole;
    float f = modf(u, whole); //~ error
}
