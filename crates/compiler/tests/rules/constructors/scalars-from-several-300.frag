#version 300 es
// ES 3.00, 5.4.1: A scalar is made from one value.
precision highp float;
out vec4 color;
void main() {
    float a = float(1.0, 2.0); //~ error: `float` is not made of (float, float)
    int b = int(1, 2); //~ error: `int` is not made of (int, int)
    bool c = bool(true, false); //~ error: `bool` is not made of (bool, bool)
}
