// GLSL 3.30, 4.1.10: bool is neither converted to a number nor from one.
#version 330
out vec4 color;
float f(float a) { return a; }

void main() {
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
    int b = false; //~ error: the initial value is of type `bool`; expected `int`
    bool c = 1; //~ error: the initial value is of type `int`; expected `bool`
    float d = f(true); //~ error: no function `f` takes (bool)
    vec2 e = bvec2(true); //~ error: the initial value is of type `bvec2`; expected `vec2`
    bool g = 0.0; //~ error: the initial value is of type `float`; expected `bool`
}
