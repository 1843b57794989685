// GLSL 3.30, 5.6: m[i][j] is row j of column i.
// value: 3 2 4 1
// set m = 1 2 3 4
#version 330
out vec4 color;
uniform mat2 m;

void main() {
    color = vec4(m[1][0], m[0].y, m[1].t, m[0][0]);
}
