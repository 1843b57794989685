// GLSL 3.30, 3.3: A macro may be called like a word of the language, and hides it.
// value: 3 0 0 1
#version 330
out vec4 color;
#define float int
#define discard a = 3

void main() {
    float a = 2;
    discard;
#undef float
    color = vec4(float(a), 0.0, 0.0, 1.0);
}
