// GLSL 3.30, 6.1: `main` returns nothing.
#version 330
out vec4 color;
int main() { //~ error: `main` has no result
    return 1;
}
