// GLSL 3.30, 9: A mistake in one function hides none in the next.
#version 330
out vec4 color;
float f(float a) {
    return a +; //~ error: expected an expression, found `;`
}
float g(float a) {
    return f(a, a); //~ error: no function `f` takes (float, float)
}
float h(float a {  //~ error: expected `)` after the parameters of a function, found `{`
    return a;
}

void main() {
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
}
