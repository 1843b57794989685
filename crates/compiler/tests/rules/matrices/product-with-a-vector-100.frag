// ES 1.00, 5.11: m * v takes v as a column, v * m as a row.
// value: 7 10 5 11
// set m = 1 2 3 4
#version 100
precision mediump float;
uniform mat2 m;

void main() {
    vec2 v = vec2(1.0, 2.0);
    gl_FragColor = vec4(m * v, v * m);
}
