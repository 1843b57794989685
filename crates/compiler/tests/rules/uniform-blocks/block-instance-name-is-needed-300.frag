#version 300 es
// ES 3.00, 4.3.7: The members of a block with an instance name are no names outside.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
} block;

void main() {
    color = a; //~ error: there is no variable `a`
}
