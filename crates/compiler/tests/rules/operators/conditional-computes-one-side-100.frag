// ES 1.00, 5.9: Only the side that is taken is computed.
// value: 5 10 0 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;
int calls = 0;
float f(int n, float a) { calls += n; return a; }

void main() {
    float a = b ? f(10, 5.0) : f(1, 6.0);
    gl_FragColor = vec4(a, float(calls), 0.0, 1.0);
}
