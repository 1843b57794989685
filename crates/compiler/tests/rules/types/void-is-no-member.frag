// ES 1.00, 4.1.1: A member of a structure is not void.
#version 100
precision mediump float;
struct S {
    void a; //~ error: a member cannot be `void`
    float b;
};

void main() {
    gl_FragColor = vec4(1.0);
}
