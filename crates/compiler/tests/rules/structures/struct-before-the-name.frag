#version 300 es
// ES 3.00, 4.1.8: A structure is used by its name alone.
precision highp float;
out vec4 color;
struct S { float a; };

void main() {
    struct S s; //~ error: expected `{` after the name of a structure or block, found `s`
}
