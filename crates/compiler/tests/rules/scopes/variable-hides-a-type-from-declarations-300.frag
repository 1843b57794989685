#version 300 es
// ES 3.00, 4.2.2: A local variable hides a structure, which then declares nothing.
precision highp float;
out vec4 color;
struct S { float a; };

void main() {
    int S = 3;
    S s; //~ error
}
