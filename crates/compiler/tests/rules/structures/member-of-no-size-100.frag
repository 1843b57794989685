// ES 1.00, 4.1.8: A member that is an array has a size.
#version 100
precision mediump float;
struct S {
    float a[]; //~ error: the member `a` needs a size
    float b;
};

void main() {
    gl_FragColor = vec4(1.0);
}
