// ES 1.00, 9: A structure needs no name.
// value: 3 0 0 1
#version 100
precision mediump float;
struct { float a; } s;

void main() {
    s.a = 3.0;
    gl_FragColor = vec4(s.a, 0.0, 0.0, 1.0);
}
