// ES 1.00, 6.1: A call may be a statement; its result is dropped.
// value: 3 0 0 1
#version 100
precision mediump float;
float g = 1.0;
float f() { g += 2.0; return 9.0; }

void main() {
    f();
    gl_FragColor = vec4(g, 0.0, 0.0, 1.0);
}
