#version 300 es
// ES 3.00, 4.3.7: A member of a uniform block has no interpolation.
precision highp float;
out vec4 color;
uniform Block {
    smooth vec4 a; //~ error: `smooth` is only allowed on an input
    float b;
};

void main() {
    color = vec4(1.0);
}
