// GLSL 1.30, 4.1.10: A uint is converted to float.
// value: 3 0 0 1
// set n = 3
#version 130
out vec4 color;
uniform uint n;

void main() {
    float a = n;
    color = vec4(a, 0.0, 0.0, 1.0);
}
