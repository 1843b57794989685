#version 300 es
// ES 3.00, 3.8: Names that begin with `gl_` are reserved.
precision highp float;
out vec4 color;
uniform gl_Block { //~ error: `gl_Block` begins with `gl_`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
