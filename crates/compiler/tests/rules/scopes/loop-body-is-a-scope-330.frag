// GLSL 3.30, 6.3: The single statement of a loop is a scope of its own.
// value: 1 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    for (int i = 0; i < 2; i++) float a = 42.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
