// ES 1.00, 4.1.8: The type of a member is declared before.
#version 100
precision mediump float;
struct S {
    T t; //~ error: there is no type `T`
    float a;
};

void main() {
    gl_FragColor = vec4(1.0);
}
