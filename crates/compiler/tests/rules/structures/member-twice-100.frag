// ES 1.00, 4.1.8: The members of a structure have different names.
#version 100
precision mediump float;
struct S {
    float a;
    int a; //~ error
    vec2 b, b; //~ error
};

void main() {
    gl_FragColor = vec4(1.0);
}
