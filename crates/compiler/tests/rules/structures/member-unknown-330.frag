// GLSL 3.30, 5.7: A member is one that the structure has.
#version 330
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    float b = s.b; //~ error: `S` has no member `b`
    s.x = 1.0; //~ error: `S` has no member `x`
    float c = s.A; //~ error: `S` has no member `A`
    float d = s[0]; //~ error: a value of type `S` has no elements
}
