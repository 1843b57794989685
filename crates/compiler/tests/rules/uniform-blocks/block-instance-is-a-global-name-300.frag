#version 300 es
// ES 3.00, 4.3.7: The instance name of a block is a global name.
precision highp float;
out vec4 color;
float block = 1.0;
uniform Block {
    vec4 a;
} block; //~ error: `block` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
