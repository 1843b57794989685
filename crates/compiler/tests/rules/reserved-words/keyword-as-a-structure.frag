#version 300 es
// ES 3.00, 3.7: Keywords cannot be names of structures.
precision highp float;
out vec4 color;
struct float { int a; }; //~ error

void main() {
    color = vec4(1.0);
}
