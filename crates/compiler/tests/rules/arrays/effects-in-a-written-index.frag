// GLSL 3.30, 5.8: An index with an effect that is written by is computed once.
// value: 5 2 1 1
#version 330
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    int i = 0;
    a[i++] = 5.0;
    color = vec4(a[0], a[1], float(i), 1.0);
}
