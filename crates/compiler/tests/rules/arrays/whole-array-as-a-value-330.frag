// GLSL 3.30, 5.9: An array is no number.
#version 330
out vec4 color;
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 1.0;
    float b = a; //~ error: the initial value is of type `float[2]`; expected `float`
    float c = sin(a); //~ error: no function `sin` takes (float[2])
    vec2 d = a * 2.0; //~ error: `*` does not take `float[2]` and `float`
}
