// ES 1.00, 7.2: Any function may write the output.
// value: 1 0 0 1
#version 100
precision mediump float;
void f() { gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }

void main() {
    f();
}
