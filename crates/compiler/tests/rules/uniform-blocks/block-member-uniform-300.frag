#version 300 es
// ES 3.00, 4.3.7: `uniform` may be repeated at the members of a uniform block.
precision highp float;
out vec4 color;
uniform Block {
    uniform vec4 a;
    float b;
};

void main() {
    color = a * b;
}
