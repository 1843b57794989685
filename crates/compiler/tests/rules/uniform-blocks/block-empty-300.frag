#version 300 es
// ES 3.00, 4.3.7: A block has members.
precision highp float;
out vec4 color;
uniform Block {}; //~ error: a block needs members

void main() {
    color = vec4(1.0);
}
