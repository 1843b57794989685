// GLSL 3.30, 6.1: Recursion is an error in what is never called, too.
#version 330
out vec4 color;
float f(float a) {
    return f(a); //~ error: the function `f` calls itself
}

void main() {
    color = vec4(1.0);
}
