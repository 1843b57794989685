// GLSL 3.30, 4.3.4: An input may be an array, or a matrix.
// value: 1 0 0 1
#version 330
out vec4 color;
in vec2 a[2];
in mat2 m;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
