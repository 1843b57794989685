// ES 1.00, 4.1.7: A sampler is a uniform or a parameter.
#version 100
precision mediump float;
sampler2D g; //~ error: the sampler `g` is not a uniform
const sampler2D c; //~ error: the sampler `c` is not a uniform

void main() {
    sampler2D a; //~ error: the sampler `a` cannot be a variable of a function
}
