// GLSL 3.30, 5.7: A constant index is one of the elements.
#version 330
out vec4 color;
struct S { float a[2]; };
const int n = 3;

void main() {
    float a[3];
    a[3] = 1.0; //~ error: the index 3 is out of range: `float[3]` has 3 elements
    a[-1] = 1.0; //~ error: the index -1 is out of range: `float[3]` has 3 elements
    a[n] = 1.0; //~ error: the index 3 is out of range: `float[3]` has 3 elements
    vec2 v = vec2(1.0);
    float b = v[2]; //~ error: the index 2 is out of range: `vec2` has 2 components
    mat2 m = mat2(1.0);
    vec2 c = m[2]; //~ error: the index 2 is out of range: `mat2` has 2 columns
    float d = m[1][2]; //~ error: the index 2 is out of range: `vec2` has 2 components
    S s;
    s.a[2] = 1.0; //~ error: the index 2 is out of range: `float[2]` has 2 elements
}
