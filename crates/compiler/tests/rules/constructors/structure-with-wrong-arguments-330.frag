// GLSL 3.30, 5.4.3: A structure is made from as many values of the same types as it has members.
#version 330
out vec4 color;
struct S { float a; vec2 b; };

void main() {
    S s = S(1.0); //~ error
    S t = S(1.0, vec2(1.0), 2.0); //~ error
    S u = S(vec2(1.0), 1.0); //~ error
    S v = S(); //~ error
    S w = S(1.0, 1.0, 1.0); //~ error
}
