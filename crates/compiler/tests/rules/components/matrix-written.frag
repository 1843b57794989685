// ES 1.00, 5.6: Columns and elements are written.
// value: 7 8 9 4
#version 100
precision mediump float;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    m[0] = vec2(7.0, 8.0);
    m[1].x = 9.0;
    gl_FragColor = vec4(m[0], m[1]);
}
