#version 300 es
// ES 3.00, 4.3.4: An input is no array of structures.
precision highp float;
out vec4 color;
struct S { float a; };
in S s[2]; //~ error: an input cannot be an array of structures

void main() {
    color = vec4(1.0);
}
