// GLSL 3.30, 3.3: `__LINE__` is the number of the line.
// value: 8 9 0 1
#version 330
out vec4 color;
// one line more

void main() {
    color = vec4(__LINE__,
        __LINE__, 0.0, 1.0);
}
