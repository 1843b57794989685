// GLSL 3.30, 4.3.6: An output is a number or a vector, or an array of these.
#version 330
out mat2 a; //~ error: an output cannot be of type `mat2`
out bool b; //~ error: an output cannot be of type `bool`
struct S { float a; };
out S c; //~ error: an output cannot be of type `S`
out sampler2D s; //~ error: the sampler `s` is not a uniform

void main() {
}
