// ES 1.00, 4.1.8: A member has no width in bits.
#version 100
precision mediump float;
struct S {
    int a : 3; //~ error: expected `;` after a member, found `:`
    int b;
};

void main() {
    gl_FragColor = vec4(1.0);
}
