#version 300 es
// ES 3.00, 8.4: The machine has no functions on bits: it packs constants only.
precision highp float;
uniform vec2 u;
uniform uint n;
out vec4 color;
void main() {
    uint a = packUnorm2x16(u); //~ error: the machine can do `packUnorm2x16` of constants only
    vec2 b = unpackHalf2x16(n); //~ error: the machine can do `unpackHalf2x16` of constants only
    color = vec4(a, b, 1.0);
}
