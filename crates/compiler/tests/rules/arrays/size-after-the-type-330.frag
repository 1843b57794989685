// GLSL 3.30, 4.1.9: The size may come after the type, and then counts for all names.
// value: 1 2 0 1
#version 330
out vec4 color;
void main() {
    float[2] a, b;
    a[1] = 1.0;
    b[0] = 2.0;
    color = vec4(a[1], b[0], 0.0, 1.0);
}
