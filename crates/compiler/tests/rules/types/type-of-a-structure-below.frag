#version 300 es
// ES 3.00, 4.1.8: A structure is declared before it is used.
precision highp float;
out vec4 color;
S g; //~ error: there is no type `S`
struct S { float a; };

void main() {
    color = vec4(1.0);
}
