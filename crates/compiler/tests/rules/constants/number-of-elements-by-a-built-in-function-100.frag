// ES 1.00, 5.10: A call of a built-in function with constants is a constant expression.
// value: 7 8 0 1
#version 100
precision mediump float;
void main() {
    float a[int(max(2.0, 3.0))];
    float b[int(pow(2.0, 2.0) + 0.5)];
    a[2] = 7.0;
    b[3] = 8.0;
    gl_FragColor = vec4(a[2], b[3], 0.0, 1.0);
}
