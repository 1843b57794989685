// GLSL 3.30, 3.7: Names that begin with `gl_` are reserved.
#version 330
out vec4 color;
uniform gl_Block { //~ error: `gl_Block` begins with `gl_`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
