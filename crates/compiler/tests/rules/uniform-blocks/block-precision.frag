#version 300 es
// ES 3.00, 4.3.7: Members may have a precision.
precision highp float;
out vec4 color;
uniform Block {
    mediump vec4 a;
    lowp float b;
};

void main() {
    color = a * b;
}
