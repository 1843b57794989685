#version 300 es
// ES 3.00, 4.1.4: There is no suffix h for half floats.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0h; //~ error: `1.0h` is not a number
}
