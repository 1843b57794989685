#version 300 es
// ES 3.00, 4.6.1: An output may be invariant.
// value: 1 0 0 1
precision highp float;
invariant out vec4 color;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
