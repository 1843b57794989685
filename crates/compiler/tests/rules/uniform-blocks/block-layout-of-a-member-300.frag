#version 300 es
// ES 3.00, 4.3.8.3: A member has no std140 of its own.
precision highp float;
out vec4 color;
uniform Block {
    layout(std140) vec4 a; //~ error: `std140` is for uniform blocks
    float b;
};

void main() {
    color = vec4(1.0);
}
