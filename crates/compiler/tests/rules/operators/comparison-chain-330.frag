// GLSL 3.30, 5.9: A comparison gives a bool, which is not compared with a number.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    bool b = 0.0 < a < 2.0; //~ error: `<` does not take `bool` and `float`
    bool c = a == a == 1.0; //~ error: `==` does not take `bool` and `float`
}
