// GLSL 3.30, 6.1: A function does not call itself, not by others either.
#version 330
out vec4 color;
float g(float a);
float f(float a) {
    return g(a);
}
float g(float a) {
    return f(a); //~ error: the function `f` calls itself
}

void main() {
    color = vec4(f(3.0));
}
