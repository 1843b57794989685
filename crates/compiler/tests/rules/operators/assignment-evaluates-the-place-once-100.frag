// ES 1.00, 5.8: The place of `op=` and `++` is found once.
// value: 5 2 2 1
// set u = 0
#version 100
precision mediump float;
uniform int u;
int calls = 0;
int next() { calls += 1; return u; }

void main() {
    float a[2];
    a[0] = 1.0;
    a[1] = 1.0;
    a[next()] += 3.0;
    a[next()]++;
    gl_FragColor = vec4(a[0], a[1] + 1.0, float(calls), 1.0);
}
