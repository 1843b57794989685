// ES 1.00, 4.1.7: A sampler is a uniform or a parameter.
#version 100
precision mediump float;
sampler2D g; //~ error: the sampler `g` is no uniform
const sampler2D c; //~ error: the sampler `c` is no uniform

void main() {
    sampler2D a; //~ error: the sampler `a` cannot be a variable of a function
}
