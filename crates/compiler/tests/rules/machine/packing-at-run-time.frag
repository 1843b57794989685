#version 300 es
// ES 3.00, 8.4: The machine does not pack floats.
precision highp float;
out vec4 color;
uniform vec2 u;

void main() {
    uint a = packHalf2x16(u); //~ error: the machine can do `packHalf2x16` of constants only
    color = vec4(a);
}
