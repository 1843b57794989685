// ES 1.00, 5.7: Structures with samplers are not compared and not assigned.
#version 100
precision mediump float;
struct S { sampler2D s; float a; };
uniform S s, t;

void main() {
    bool same = s == t; //~ error: `==` does not compare samplers
}
