// GLSL 3.30, 6.3: A mistake in the head of a loop hides none in its body.
#version 330
out vec4 color;
void main() {
    for (int i = 0.0; i < 3; i++) { //~ error: the initial value is of type `float`; expected `int`
        float a = true; //~ error: the initial value is of type `bool`; expected `float`
    }
    for (int i = 0; j < 3; i++) { //~ error: there is no variable `j`
        bool a = i; //~ error: the initial value is of type `int`; expected `bool`
    }
}
