// ES 1.00, 9: A call without arguments may be written with `void`.
// value: 2 0 0 1
#version 100
precision mediump float;
float f() { return 2.0; }

void main() {
    gl_FragColor = vec4(f(void), 0.0, 0.0, 1.0);
}
