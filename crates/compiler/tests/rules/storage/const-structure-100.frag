// ES 1.00, 4.3.2: A structure may be constant, and its members are then.
// value: 3 0 0 1
#version 100
precision mediump float;
struct S { float a; int n; };
const S s = S(1.0, 2);
const float b = s.a + 2.0;

void main() {
    gl_FragColor = vec4(b, 0.0, 0.0, 1.0);
}
