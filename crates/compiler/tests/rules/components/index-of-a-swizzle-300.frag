#version 300 es
// ES 3.00, 5.5: A swizzle may be indexed.
// value: 4 3 1 1
// set n = 1
precision highp float;
out vec4 color;
uniform int n;

void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    color = vec4(v.wz[0], v.wz[n], v.xx[1], 1.0);
}
