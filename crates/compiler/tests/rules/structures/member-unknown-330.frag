// GLSL 3.30, 5.7: A member is one that the structure has.
#version 330
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    float b = s.b; //~ error
    s.x = 1.0; //~ error
    float c = s.A; //~ error
    float d = s[0]; //~ error
}
