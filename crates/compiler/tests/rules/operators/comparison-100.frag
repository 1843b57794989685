// ES 1.00, 5.9: `<`, `>`, `<=`, `>=` compare numbers.
// value: 1 1 0 1
// set a = 2
// set n = 3
#version 100
precision mediump float;
uniform float a;
uniform int n;

void main() {
    gl_FragColor = vec4(float(a < 3.0 && !(a < 2.0)), float(n >= 3 && n > 2), float(n <= 2), float(a <= 2.0));
}
