// GLSL 3.30, 3.7: Names that begin with `gl_` are reserved and cannot be declared.
#version 330
out vec4 color;
uniform float gl_u; //~ error: the name `gl_u` begins with `gl_`
float gl_f() { return 1.0; } //~ error: `gl_f` begins with `gl_`
struct gl_S { float a; }; //~ error: `gl_S` begins with `gl_`

void main() {
    float gl_x = 1.0; //~ error: the name `gl_x` begins with `gl_`
}
