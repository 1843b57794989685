#version 300 es
// ES 3.00, 4.1.1: A member of a structure is not void.
precision highp float;
out vec4 color;
struct S {
    void a; //~ error
    float b;
};

void main() {
    color = vec4(1.0);
}
