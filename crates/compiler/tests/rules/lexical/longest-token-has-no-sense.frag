#version 300 es
// ES 3.00, 3.6: The longest token counts: a+++++b is ((a++)++) + b, which is an error.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0, b = 2.0;
    float c = a+++++b; //~ error: this is a value; `++` needs a variable, or a part of one
}
