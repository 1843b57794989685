// GLSL 1.20, 5.4.2: A vector takes the first elements of a matrix.
// value: 1 2 3 9
#version 120
void main() {
    mat3 m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
    gl_FragColor = vec4(vec3(m), vec2(9.0, m).x);
}
