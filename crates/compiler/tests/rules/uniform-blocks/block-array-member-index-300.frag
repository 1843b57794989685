#version 300 es
// ES 3.00, 4.3.7: An array of a block may be indexed by anything.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a[4];
};
uniform int n;

void main() {
    color = a[n & 3];
}
