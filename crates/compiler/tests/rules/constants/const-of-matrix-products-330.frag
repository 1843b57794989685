// GLSL 3.30, 4.3.3: Products of constant matrices and vectors are constants.
// value: 7 10 0 1
#version 330
out vec4 color;
const mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
const vec2 v = m * vec2(1.0, 2.0);

void main() {
    color = vec4(v, 0.0, 1.0);
}
