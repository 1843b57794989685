#version 300 es
// ES 3.00, 4.3.7: A member of a uniform block has no other storage.
precision highp float;
out vec4 color;
uniform Block {
    in vec4 a; //~ error
    const float b; //~ error
    out float c; //~ error
    float d;
};

void main() {
    color = vec4(1.0);
}
