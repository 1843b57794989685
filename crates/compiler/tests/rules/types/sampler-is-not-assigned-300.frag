#version 300 es
// ES 3.00, 4.1.7: A sampler has no value to assign.
precision highp float;
out vec4 color;
uniform sampler2D s, t;

void main() {
    s = t; //~ error
}
