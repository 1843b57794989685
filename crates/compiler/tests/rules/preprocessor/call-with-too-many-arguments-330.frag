// GLSL 3.30, 3.3: A macro takes as many arguments as it was defined with.
#version 330
out vec4 color;
#define NEG(a) (-(a))

void main() {
    float a = NEG(1.0, 2.0); //~ error: the macro `NEG` takes 1 argument, found 2 arguments
}
