// GLSL 3.30, 5.7: Arrays of different sizes are not compared.
#version 330
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    float b[3] = float[3](1.0, 2.0, 3.0);
    bool c = a == b; //~ error: `==` does not take `float[2]` and `float[3]`
}
