#version 300 es
// ES 3.00, 4.3.6: An output may be of integers.
// value: 1 2 3 4
precision highp float;
out ivec4 color;

void main() {
    color = ivec4(1, 2, 3, 4);
}
