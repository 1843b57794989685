#version 300 es
// ES 3.00, 4.1.8: A member has no initial value.
precision highp float;
out vec4 color;
struct S {
    float a = 1.0; //~ error: expected `;` after a member, which has no initial value, found `=`
    float b;
};

void main() {
    color = vec4(1.0);
}
