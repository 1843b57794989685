// GLSL 3.30, 4.1.9: The initial value of an array has its size and type.
#version 330
out vec4 color;
void main() {
    float a[2] = float[3](1.0, 2.0, 3.0); //~ error: the initial value is of type `float[3]`; expected `float[2]`
    float b[2] = int[2](1, 2); //~ error: the initial value is of type `int[2]`; expected `float[2]`
    float c[2] = vec2(1.0, 2.0); //~ error: the initial value is of type `vec2`; expected `float[2]`
    float d[2] = 1.0; //~ error: the initial value is of type `float`; expected `float[2]`
    float e = float[1](1.0); //~ error: the initial value is of type `float[1]`; expected `float`
}
