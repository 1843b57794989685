// ES 1.00, A.5: An index may be computed, to read and to write.
// value: 2 9 3 1
// set n = 1
#version 100
precision mediump float;
uniform int n;

void main() {
    float a[3];
    a[0] = 1.0; a[1] = 2.0; a[2] = 3.0;
    float b = a[n];
    a[n - 1] = 9.0;
    gl_FragColor = vec4(b, a[0], a[n + 1], 1.0);
}
