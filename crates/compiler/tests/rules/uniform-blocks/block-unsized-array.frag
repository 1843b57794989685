#version 300 es
// ES 3.00, 4.1.9: An array of a block has a size.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a[]; //~ error: the member `a` needs a size
    float b;
};

void main() {
    color = vec4(1.0);
}
