#version 330
// GLSL 3.30, 6.1: The qualifiers of parameters are alike in all declarations.
out vec4 color;
float f(const float a);
float f(float a) { return a; } //~ error: this parameter of `f` has other qualifiers than on line 4

void main() {
    color = vec4(f(1.0));
}
