#version 300 es
// ES 3.00, 5.9: Arithmetic and order are not for arrays.
precision highp float;
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    float b[2] = a + a; //~ error: `+` does not take `float[2]` and `float[2]`
    bool c = a < a; //~ error: `<` does not take `float[2]` and `float[2]`
    a *= 2.0; //~ error: `*` does not take `float[2]` and `float`
}
