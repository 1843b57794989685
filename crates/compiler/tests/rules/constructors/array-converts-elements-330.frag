// GLSL 3.30, 5.4.4: An int is converted for an element of float.
// value: 1 2 0 1
#version 330
out vec4 color;
void main() {
    float a[2] = float[2](1, 2.0);
    color = vec4(a[0], a[1], 0.0, 1.0);
}
