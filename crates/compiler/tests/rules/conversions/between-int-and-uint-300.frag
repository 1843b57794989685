#version 300 es
// ES 3.00, 5.4.1: uint(i) and int(u) keep numbers that both types have.
// value: 5 7 1 3
// set a = 5
// set b = 7
precision highp float;
out vec4 color;
uniform int a;
uniform uint b;

void main() {
    color = vec4(uint(a), int(b), uint(true), uint(3.9));
}
