#version 300 es
// ES 3.00, 4.3.5: A uniform is not written.
precision highp float;
out vec4 color;
uniform float u;
uniform vec4 v;
uniform float w[2];
uniform mat2 m;

void main() {
    u = 1.0; //~ error: `u` is a uniform, and cannot be written to
    u += 1.0; //~ error: `u` is a uniform, and cannot be written to
    u++; //~ error: `u` is a uniform, and cannot be written to
    --u; //~ error: `u` is a uniform, and cannot be written to
    v.x = 1.0; //~ error: `v` is a uniform, and cannot be written to
    w[0] = 1.0; //~ error: `w` is a uniform, and cannot be written to
    m[0][1] = 1.0; //~ error: `m` is a uniform, and cannot be written to
}
