// GLSL 3.30, 4.1.9: a.length() is the number of elements, an int.
// value: 3 2 0 1
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    int n = a.length();
    ivec2 b[2];
    b[0] = ivec2(1);
    color = vec4(n, b.length(), 0.0, 1.0);
}
