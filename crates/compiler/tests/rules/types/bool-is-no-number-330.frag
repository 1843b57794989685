// GLSL 3.30, 4.1.2: bool is no number.
#version 330
out vec4 color;
void main() {
    bool a = 1; //~ error: the initial value is of type `int`; expected `bool`
    bool b = 0.0; //~ error: the initial value is of type `float`; expected `bool`
    int c = true; //~ error: the initial value is of type `bool`; expected `int`
    float d = false; //~ error: the initial value is of type `bool`; expected `float`
}
