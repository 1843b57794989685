#version 300 es
// ES 3.00, 3.7: Words that are reserved are no types.
precision highp float;
out vec4 color;
void main() {
    half a = 1.0; //~ error: there is no type `half`
    unsigned int b = 1; //~ error: the type `int` cannot be a name
    long c = 1; //~ error: there is no type `long`
}
