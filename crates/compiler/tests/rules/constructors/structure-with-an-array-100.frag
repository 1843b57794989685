// ES 1.00, 5.4.3: A structure with an array has no constructor.
#version 100
precision mediump float;
struct S { float a[2]; float b; };

void main() {
    float w[2];
    w[0] = 1.0;
    w[1] = 2.0;
    S s = S(w, 3.0); //~ error: GLSL ES 1.00 has no initial values of arrays
}
