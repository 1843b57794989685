// GLSL 3.30, 5.7: An index with an effect is computed once.
// value: 2 1 0 1
#version 330
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2.0);
    int i = 0;
    float b = a[++i];
    color = vec4(b, float(i), 0.0, 1.0);
}
