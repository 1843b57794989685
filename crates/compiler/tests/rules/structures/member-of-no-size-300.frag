#version 300 es
// ES 3.00, 4.1.8: A member that is an array has a size.
precision highp float;
out vec4 color;
struct S {
    float a[]; //~ error
    float b;
};

void main() {
    color = vec4(1.0);
}
