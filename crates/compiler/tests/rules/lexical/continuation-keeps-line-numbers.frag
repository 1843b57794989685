#version 300 es
// ES 3.00, 3.2: A line that is joined with the one before it keeps its number.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0 + \
        2.0;
    float b = true; //~ error: the initial value is of type `bool`; expected `float`
}
