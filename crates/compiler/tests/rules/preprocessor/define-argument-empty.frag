#version 300 es
// ES 3.00, 3.4: An argument may be empty.
// value: 5 -2 0 1
precision highp float;
out vec4 color;
#define TWO(a, b) a b
#define NEG(a) a 2.0

void main() {
    color = vec4(TWO(5.0, ), NEG(-), 0.0, 1.0);
}
