#version 300 es
// ES 3.00, 4.3.7: The instance name of a block is no value.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
} block;
uniform Other {
    vec4 b;
} other;

void main() {
    color = block; //~ error: the value is of type `Block`; expected `vec4`
    bool same = block == other; //~ error: `==` does not take `Block` and `Other`
}
