// GLSL 3.30, 4.3.3: Columns and elements of constant matrices are constants.
// value: 3 4 2 1
#version 330
out vec4 color;
const mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
const vec2 c = m[1];
const float e = m[0][1];

void main() {
    color = vec4(c, e, 1.0);
}
