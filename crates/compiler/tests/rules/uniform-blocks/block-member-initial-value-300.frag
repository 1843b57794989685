#version 300 es
// ES 3.00, 4.3.7: A member of a block has no initial value.
precision highp float;
out vec4 color;
uniform Block {
    float a = 1.0; //~ error: expected `;` after a member, which has no initial value, found `=`
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
