// GLSL 3.30, 6.2: A mistake in one branch hides none in the others.
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = 0.0;
    if (u) { //~ error: the condition of `if` is of type `float`; expected `bool`
        a = true; //~ error: the value is of type `bool`; expected `float`
    } else if (u > 1.0 { //~ error: expected `)` after the condition of `if`, found `{`
        a = 2.0;
    } else {
        a = missing; //~ error: there is no variable `missing`
    }
}
