// GLSL 3.30, 5.7: Structures with samplers are not compared and not assigned.
#version 330
out vec4 color;
struct S { sampler2D s; float a; };
uniform S s, t;

void main() {
    bool same = s == t; //~ error: `==` does not compare samplers
}
