// GLSL 3.30, 4.3.6: An output is a number or a vector, or an array of these.
#version 330
out mat2 a; //~ error
out bool b; //~ error
struct S { float a; };
out S c; //~ error
out sampler2D s; //~ error

void main() {
}
