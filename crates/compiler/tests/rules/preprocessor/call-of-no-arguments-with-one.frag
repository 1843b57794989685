// GLSL 3.30, 3.3: A macro with an empty list takes no arguments.
#version 330
out vec4 color;
#define ONE() 1.0

void main() {
    float a = ONE(2.0); //~ error: the macro `ONE` takes 0 arguments, found 1 argument
}
