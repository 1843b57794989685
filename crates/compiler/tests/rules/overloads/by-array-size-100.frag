// ES 1.00, 6.1: Functions of one name differ by the sizes of arrays.
// value: 1 2 0 1
#version 100
precision mediump float;
float f(float a[1]) { return 1.0; }
float f(float a[2]) { return 2.0; }

void main() {
    float p[1], q[2];
    p[0] = 0.0;
    q[0] = 0.0;
    q[1] = 0.0;
    gl_FragColor = vec4(f(p), f(q), 0.0, 1.0);
}
