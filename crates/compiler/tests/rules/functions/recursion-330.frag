// GLSL 3.30, 6.1: A function does not call itself.
#version 330
out vec4 color;
float f(float a) {
    return a > 1.0 ? f(a - 1.0) : a; //~ error: the function `f` calls itself
}

void main() {
    color = vec4(f(3.0));
}
