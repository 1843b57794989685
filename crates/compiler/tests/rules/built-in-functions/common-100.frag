// ES 1.00, 8.3: abs, sign, floor, ceil, fract work on floats and vectors.
// value: 2.5 -1 -3 -2
// set u = -2.5
#version 100
precision mediump float;
uniform float u;

void main() {
    vec2 v = vec2(u);
    gl_FragColor = vec4(abs(u), sign(v).y, floor(v).x, ceil(u) + fract(u) - 0.5);
}
