// GLSL 3.30, 4.7: `const` stands before `in`.
#version 330
out vec4 color;
float f(in const float a) { return a; } //~ error: `in` and `const` do not go together

void main() {
    color = vec4(1.0);
}
