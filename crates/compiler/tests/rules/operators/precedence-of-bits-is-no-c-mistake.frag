#version 300 es
// ES 3.00, 5.1: `a & b == c` is a & (b == c), which has a bool.
precision highp float;
out vec4 color;
void main() {
    int a = 1;
    bool b = a & 1 == 1; //~ error: `&` does not take `int` and `bool`
}
