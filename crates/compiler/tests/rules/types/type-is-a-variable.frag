#version 300 es
// ES 3.00, 4.1: A variable is no type.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0;
    a b = 2.0; //~ error: `a` is a variable here, not a type
}
