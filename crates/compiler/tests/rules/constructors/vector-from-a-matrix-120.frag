// GLSL 1.20, 5.4.2: A vector takes the elements of a matrix column by column.
// value: 1 2 3 4
#version 120
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    vec4 v = vec4(m);
    gl_FragColor = v;
}
