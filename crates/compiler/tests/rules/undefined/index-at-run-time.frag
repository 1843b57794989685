// GLSL 3.30, 5.7: An index that may be out of range is no error.
#version 330
out vec4 color;
uniform int n;

void main() {
    float a[3] = float[3](1.0, 2.0, 3.0);
    color = vec4(a[n], 0.0, 0.0, 1.0);
}
