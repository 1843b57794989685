#version 300 es
// ES 3.00, 5.7: Structures with samplers are not compared and not assigned.
precision highp float;
out vec4 color;
struct S { sampler2D s; float a; };
uniform S s, t;

void main() {
    bool same = s == t; //~ error
}
