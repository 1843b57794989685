// ES 1.00, 4.2.6: A parameter hides a structure.
// value: 4 0 0 1
#version 100
precision mediump float;
struct S { float a; };
float f(float S) { return S; }

void main() {
    gl_FragColor = vec4(f(4.0), 0.0, 0.0, 1.0);
}
