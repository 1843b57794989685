// GLSL 3.30, 5.7: An index is an integer.
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    float b = a[0.0]; //~ error
    float c = a[true]; //~ error
    float d = a[ivec2(0)]; //~ error
    float e = a[]; //~ error
}
