// GLSL 3.30, 4.1.9: The initial value of an array has its size and type.
#version 330
out vec4 color;
void main() {
    float a[2] = float[3](1.0, 2.0, 3.0); //~ error
    float b[2] = int[2](1, 2); //~ error
    float c[2] = vec2(1.0, 2.0); //~ error
    float d[2] = 1.0; //~ error
    float e = float[1](1.0); //~ error
}
