#version 300 es
// ES 3.00, 5.4.1: Constructors convert in every version.
// value: 3 1 1 -2
// set n = 3
// set u = -2.75
precision highp float;
out vec4 color;
uniform int n;
uniform float u;

void main() {
    color = vec4(float(n), float(bool(n)), float(bool(0.5)), float(int(u)));
}
