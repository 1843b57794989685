// ES 1.00, 5.9: `++` and `--` work on vectors, matrices, components.
// value: 2 3 5 1
#version 100
precision mediump float;
void main() {
    vec2 v = vec2(1.0, 2.0);
    v++;
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    ++m;
    m[0].x--;
    gl_FragColor = vec4(v, m[1][1], m[0].x);
}
