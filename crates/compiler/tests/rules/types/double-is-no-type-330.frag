// GLSL 3.30, 4.1: There are no doubles.
#version 330
out vec4 color;
void main() {
    double a = 1.0; //~ error: the machine has no `double`
}
