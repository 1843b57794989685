// Shadertoy: An error is in the line of the source.
void mainImage(out vec4 o, in vec2 p) {
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
    o = vec4(b); //~ error: there is no variable `b`
}
