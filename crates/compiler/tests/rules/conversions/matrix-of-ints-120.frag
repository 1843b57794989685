// GLSL 1.20, 5.4.2: Constructors convert every number.
// value: 1 2 3 4
#version 120
void main() {
    mat2 m = mat2(1, 2, 3, 4);
    gl_FragColor = vec4(m);
}
