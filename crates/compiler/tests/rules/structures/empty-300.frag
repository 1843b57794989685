#version 300 es
// ES 3.00, 4.1.8: A structure has members.
precision highp float;
out vec4 color;
struct S {}; //~ error: a structure needs members

void main() {
    color = vec4(1.0);
}
