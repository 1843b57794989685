#version 300 es
// ES 3.00, 4.3.7: Blocks with instance names may have members of one name.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
} one;
uniform Other {
    vec4 a;
} two;

void main() {
    color = one.a + two.a;
}
