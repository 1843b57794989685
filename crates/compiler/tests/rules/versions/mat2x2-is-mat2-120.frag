// GLSL 1.20, 4.1.6: mat2x2 is mat2.
// value: 4 0 0 1
#version 120
void main() {
    mat2x2 m = mat2(1.0, 2.0, 3.0, 4.0);
    gl_FragColor = vec4(m[1][1], 0.0, 0.0, 1.0);
}
