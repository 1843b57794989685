// GLSL 3.30, 4.2: A name is declared before it is used.
#version 330
out vec4 color;
void main() {
    float a = b; //~ error: there is no variable `b`
    c = 1.0; //~ error: there is no variable `c`
    color = vec4(d, e, 0.0, 1.0); //~ error: there is no variable `d`
    f(1.0); //~ error: there is no function `f`
}
