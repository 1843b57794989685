// GLSL 3.30, 5.9: Arithmetic is not for bools.
#version 330
out vec4 color;
void main() {
    bool a = true;
    bool b = a + a; //~ error
    bool c = -a; //~ error
    a++; //~ error
    a *= false; //~ error
    bvec2 d = bvec2(a) - bvec2(b); //~ error
}
