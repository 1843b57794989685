// GLSL 3.30, 5.9: `&&`, `||` and `^^` are for bool.
#version 330
out vec4 color;
void main() {
    bool a = 1 && 2; //~ error: `&&` takes two values of type `bool`, not `int` and `int`
    bool b = 1.0 || true; //~ error: `||` takes two values of type `bool`, not `float` and `bool`
    bool c = bvec2(true) && bvec2(true); //~ error: `&&` takes two values of type `bool`, not `bvec2` and `bvec2`
    bool d = true ^^ 1; //~ error: `^^` takes two values of type `bool`, not `bool` and `int`
}
