// GLSL 3.30, 3.3: `__LINE__` in the text of a macro is the line of its use.
// value: 1 0 0 1
#version 330
out vec4 color;
#define HERE (__LINE__)

void main() {
    color = vec4(HERE == __LINE__, 0.0, 0.0, 1.0);
}
