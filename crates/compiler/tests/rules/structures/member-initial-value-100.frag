// ES 1.00, 4.1.8: A member has no initial value.
#version 100
precision mediump float;
struct S {
    float a = 1.0; //~ error
    float b;
};

void main() {
    gl_FragColor = vec4(1.0);
}
