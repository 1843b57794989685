// GLSL 3.30, 5.6: m[i] is column i, a vector.
// value: 3 4 1 2
// set m = 1 2 3 4
#version 330
out vec4 color;
uniform mat2 m;

void main() {
    color = vec4(m[1], m[0]);
}
