#version 300 es
// ES 3.00, 4.1.3: A number has one suffix.
precision highp float;
out vec4 color;
void main() {
    uint a = 1uu; //~ error: `1uu` is not a number
    uint b = 1lu; //~ error: `1lu` is not a number
}
