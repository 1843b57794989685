#version 300 es
// ES 3.00, 4.1.8: A structure has no functions.
precision highp float;
out vec4 color;
struct S {
    float f() { return 1.0; } //~ error: expected `;` after a member, found `(`
    float a;
};

void main() {
    color = vec4(1.0);
}
