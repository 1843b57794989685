// ES 1.00, 4.1.9: The size counts for the name that it follows.
// value: 1 2 3 1
#version 100
precision mediump float;
void main() {
    float a[2], b, c[1];
    a[1] = 1.0;
    b = 2.0;
    c[0] = 3.0;
    gl_FragColor = vec4(a[1], b, c[0], 1.0);
}
