// ES 1.00, 4.1.7: A sampler has no value to assign.
#version 100
precision mediump float;
uniform sampler2D s, t;

void main() {
    s = t; //~ error: `s` is a uniform, and cannot be written to
}
