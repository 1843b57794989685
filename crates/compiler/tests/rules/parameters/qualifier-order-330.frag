// GLSL 3.30, 4.7: `const` comes before `in`.
#version 330
out vec4 color;
float f(in const float a) { return a; } //~ error: `in` and `const` cannot be combined

void main() {
    color = vec4(1.0);
}
