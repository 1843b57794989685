// GLSL 3.30, 5.9: `&&`, `||` and `^^` are for bool.
#version 330
out vec4 color;
void main() {
    bool a = 1 && 2; //~ error
    bool b = 1.0 || true; //~ error
    bool c = bvec2(true) && bvec2(true); //~ error
    bool d = true ^^ 1; //~ error
}
