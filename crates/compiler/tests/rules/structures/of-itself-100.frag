// ES 1.00, 4.1.8: A structure has no member of its own type.
#version 100
precision mediump float;
struct S {
    float a;
    S s; //~ error
};

void main() {
    gl_FragColor = vec4(1.0);
}
