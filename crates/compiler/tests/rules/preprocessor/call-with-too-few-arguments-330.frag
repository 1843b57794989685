// GLSL 3.30, 3.3: A macro takes as many arguments as it was defined with.
#version 330
out vec4 color;
#define ADD(a, b) ((a) + (b))

void main() {
    float a = ADD(1.0); //~ error: the macro `ADD` takes 2 arguments, found 1 argument
}
