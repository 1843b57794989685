// ES 1.00, 4.1.9: An array holds as many elements of one type as it says.
// value: 1 2 3 1
#version 100
precision mediump float;
void main() {
    float a[3];
    a[0] = 1.0;
    a[1] = 2.0;
    a[2] = 3.0;
    gl_FragColor = vec4(a[0], a[1], a[2], 1.0);
}
