// GLSL 3.30, 6.1: Functions are defined outside of functions.
#version 330
out vec4 color;
void main() {
    float f() { return 1.0; } //~ error
    color = vec4(1.0);
}
