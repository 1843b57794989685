#version 300 es
// ES 3.00, 4.3.8.2: Outputs have locations, in any order.
// value: 1 2 3 4
// value: 5 6 7 8
precision highp float;
layout(location = 1) out vec4 b;
layout(location = 0) out vec4 a;

void main() {
    a = vec4(1.0, 2.0, 3.0, 4.0);
    b = vec4(5.0, 6.0, 7.0, 8.0);
}
