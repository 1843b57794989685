// ES 1.00, 4.1.8: A member of a structure has no storage qualifier.
#version 100
precision mediump float;
struct S {
    uniform float a; //~ error: `uniform` is not allowed on a member of a structure
    const float b; //~ error: `const` is not allowed on a member of a structure
    varying float c; //~ error: `varying` is not allowed on a member of a structure
    float d;
};

void main() {
    gl_FragColor = vec4(1.0);
}
