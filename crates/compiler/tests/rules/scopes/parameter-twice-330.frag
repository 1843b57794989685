// GLSL 3.30, 4.2.2: The parameters of a function have different names.
#version 330
out vec4 color;
float f(float a, float a) { return a; } //~ error: `a` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
