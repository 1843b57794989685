// ES 1.00, 3.8: Names that begin with `gl_` are reserved and cannot be declared.
#version 100
precision mediump float;
uniform float gl_u; //~ error
float gl_f() { return 1.0; } //~ error
struct gl_S { float a; }; //~ error

void main() {
    float gl_x = 1.0; //~ error
}
