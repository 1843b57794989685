#version 300 es
// ES 3.00, 5.7: Arrays of different sizes are not compared.
precision highp float;
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    float b[3] = float[3](1.0, 2.0, 3.0);
    bool c = a == b; //~ error: `==` does not take `float[2]` and `float[3]`
}
