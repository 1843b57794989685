#version 300 es
// ES 3.00, 3.7: Keywords cannot be names of structures.
precision highp float;
out vec4 color;
struct float { int a; }; //~ error: the type `float` cannot be a name

void main() {
    color = vec4(1.0);
}
