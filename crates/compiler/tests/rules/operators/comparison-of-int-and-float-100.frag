// ES 1.00, 5.9: An int is not compared with a float.
#version 100
precision mediump float;
uniform int n;

void main() {
    bool a = n < 2.5; //~ error: `<` does not take `int` and `float`
    bool b = 2.0 == n; //~ error: `==` does not take `float` and `int`
}
