#version 300 es
// ES 3.00, 4.3.7: Within a function the name of a block can be a variable's.
// value: 2 0 0 1
precision highp float;
out vec4 color;
uniform A { float a; };

void main() {
    float A = 2.0;
    color = vec4(A, 0.0, 0.0, 1.0);
}
