#version 300 es
// ES 3.00, 4.3.4: An input's structure has no bool.
precision highp float;
out vec4 color;
struct S { float a; bool b; };
flat in S s; //~ error: an input cannot be a structure with a `bool`

void main() {
    color = vec4(1.0);
}
