#version 300 es
// ES 3.00, 5.9: Arithmetic is not for bools.
precision highp float;
out vec4 color;
void main() {
    bool a = true;
    bool b = a + a; //~ error
    bool c = -a; //~ error
    a++; //~ error
    a *= false; //~ error
    bvec2 d = bvec2(a) - bvec2(b); //~ error
}
