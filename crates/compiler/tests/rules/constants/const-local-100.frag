// ES 1.00, 4.3.2: A constant of a function may use those outside.
// value: 6 2 0 1
#version 100
precision mediump float;
const int n = 2;

void main() {
    const int m = n * 3;
    {
        const int n = m - 4;
        float a[n];
        a[1] = 2.0;
        gl_FragColor = vec4(float(m), a[n - 1], 0.0, 1.0);
    }
}
