#version 300 es
// ES 3.00, 4.3.6: An output is a number or a vector, or an array of these.
precision highp float;
out mat2 a; //~ error
out bool b; //~ error
struct S { float a; };
out S c; //~ error
out sampler2D s; //~ error

void main() {
}
