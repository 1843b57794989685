#version 300 es
// ES 3.00, 4.3.8: A structure and its members have no layout.
precision highp float;
out vec4 color;
struct S {
    layout(location = 0) float a; //~ error: `layout` is not allowed on a member of a structure
    float b;
};

void main() {
    color = vec4(1.0);
}
