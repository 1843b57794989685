// GLSL 3.30, 5.4: No number is made from a structure.
#version 330
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    float a = float(s); //~ error: `float` is not made of (S)
    vec2 b = vec2(s, 1.0); //~ error: `vec2` is not made of (S, float)
}
