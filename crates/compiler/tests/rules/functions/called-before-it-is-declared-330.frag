// GLSL 3.30, 6.1: A function is declared before it is called.
#version 330
out vec4 color;
void main() {
    color = vec4(f(1.0)); //~ error: there is no function `f`
}
float f(float a) { return a; }
