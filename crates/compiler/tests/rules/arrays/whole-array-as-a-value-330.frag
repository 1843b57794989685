// GLSL 3.30, 5.9: An array is no number.
#version 330
out vec4 color;
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 1.0;
    float b = a; //~ error
    float c = sin(a); //~ error
    vec2 d = a * 2.0; //~ error
}
