// GLSL 3.30, 4.3.7: An array of a block may be indexed by anything.
#version 330
out vec4 color;
uniform Block {
    vec4 a[4];
};
uniform int n;

void main() {
    color = a[n & 3];
}
