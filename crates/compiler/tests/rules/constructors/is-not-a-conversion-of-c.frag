#version 300 es
// ES 3.00, 5.4.1: There are no casts: a constructor is a type followed by parentheses.
precision highp float;
out vec4 color;
void main() {
    float a = (float)1; //~ error: expected `(` after the type of a constructor, found `)`
    int b = (int) 2.5; //~ error: expected `(` after the type of a constructor, found `)`
}
