#version 300 es
// ES 3.00, 4.3.4: An input's structure has no structure and no array.
precision highp float;
out vec4 color;
struct T { float a; };
struct S { T t; };
struct A { float a[2]; };
in S s; //~ error: an input cannot be a structure with arrays or structures
in A b; //~ error: an input cannot be a structure with arrays or structures

void main() {
}
