#version 300 es
// ES 3.00, 4.2: A name that is missing is reported wherever it is used on another line.
precision highp float;
out vec4 color;
void main() {
    float a = missing; //~ error: there is no variable `missing`
    float b = missing; //~ error: there is no variable `missing`
    float c = missing + missing; //~ error: there is no variable `missing`
}
