#version 300 es
// ES 3.00, 3.7: Words that are reserved are no names of members.
precision highp float;
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    float a = s.input; //~ error: `input` is a reserved word of GLSL ES 3.00, it cannot be a name
}
