// ES 1.00, 4.1.7: A sampler is a uniform or a parameter.
#version 100
precision mediump float;
sampler2D g; //~ error
const sampler2D c; //~ error

void main() {
    sampler2D a; //~ error
}
