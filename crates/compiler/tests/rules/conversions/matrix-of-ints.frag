// GLSL 3.30, 5.4.2: Constructors convert every number.
// value: 1 2 3 4
#version 330
out vec4 color;
void main() {
    mat2 m = mat2(1, 2, 3, 4);
    color = vec4(m);
}
