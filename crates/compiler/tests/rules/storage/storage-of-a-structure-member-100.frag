// ES 1.00, 4.1.8: A member of a structure has no storage qualifier.
#version 100
precision mediump float;
struct S {
    uniform float a; //~ error
    const float b; //~ error
    varying float c; //~ error
    float d;
};

void main() {
    gl_FragColor = vec4(1.0);
}
