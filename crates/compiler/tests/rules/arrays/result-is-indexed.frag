#version 300 es
// ES 3.00, 6.1: What a function returns may be indexed.
// value: 2 3 0 1
precision highp float;
out vec4 color;
int[3] f() { return int[3](1, 2, 3); }

void main() {
    color = vec4(f()[1], f()[2], 0.0, 1.0);
}
