#version 300 es
// ES 3.00, 4.3.8.2: An array takes as many locations as it has elements.
// value: 1 2 3 4
// value: 5 6 7 8
// value: 9 9 9 9
precision highp float;
layout(location = 0) out vec4 a[2];
layout(location = 2) out vec4 b;

void main() {
    a[0] = vec4(1.0, 2.0, 3.0, 4.0);
    a[1] = vec4(5.0, 6.0, 7.0, 8.0);
    b = vec4(9.0);
}
