// GLSL 3.30, 4.3.6: An output may be of integers.
// value: 1 2 3 4
#version 330
out ivec4 color;

void main() {
    color = ivec4(1, 2, 3, 4);
}
