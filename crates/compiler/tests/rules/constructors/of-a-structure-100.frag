// ES 1.00, 5.4: No number is made from a structure.
#version 100
precision mediump float;
struct S { float a; };

void main() {
    S s = S(1.0);
    float a = float(s); //~ error: `float` is not made of (S)
    vec2 b = vec2(s, 1.0); //~ error: `vec2` is not made of (S, float)
}
