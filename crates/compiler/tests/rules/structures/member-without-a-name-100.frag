// ES 1.00, 4.1.8: A member has a name.
#version 100
precision mediump float;
struct T { float a; };
struct S {
    T; //~ error: expected the name of a member, found `;`
    float b;
};

void main() {
    gl_FragColor = vec4(1.0);
}
