// ES 1.00, 5.8: Elements may be exchanged.
// value: 2 1 0 1
#version 100
precision mediump float;
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 2.0;
    float t = a[0];
    a[0] = a[1];
    a[1] = t;
    gl_FragColor = vec4(a[0], a[1], 0.0, 1.0);
}
