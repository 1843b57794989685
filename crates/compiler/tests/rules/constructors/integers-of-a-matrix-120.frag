// GLSL 1.20, 5.4.2: The components of a matrix, column by column, become those of a vector of integers.
// value: 1 2 3 4
// set one = 1
#version 120
uniform float one;
void main() {
    mat3 m = mat3(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5) * one;
    gl_FragColor = vec4(ivec4(m));
}
