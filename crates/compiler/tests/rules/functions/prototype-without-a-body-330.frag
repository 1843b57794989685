// GLSL 3.30, 6.1: A function that is called has a body.
#version 330
out vec4 color;
float f(float a);

void main() {
    color = vec4(f(1.0)); //~ error: the function `f` is called here, and has no body
}
