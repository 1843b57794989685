#version 300 es
// ES 3.00, 4.3.7: The members of a uniform block are not written.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
    float b[2];
};
uniform Other {
    vec4 c;
} other;

void main() {
    a = vec4(1.0); //~ error: `a` is a uniform, and cannot be written to
    b[0] += 1.0; //~ error: `b` is a uniform, and cannot be written to
    other.c.x++; //~ error: `other` is a uniform, and cannot be written to
}
