// GLSL 3.30, 4.1.9: A number of elements is an integer.
#version 330
out vec4 color;
void main() {
    float a[2.0]; //~ error
    float b[true]; //~ error
    float c[ivec2(1).xy]; //~ error
}
