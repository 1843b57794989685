// ES 1.00, 4.4: The place of an out argument is found once, before the call.
// value: 5 1 1 1
// set u = 0
#version 100
precision mediump float;
uniform float u;
int calls = 0;
int next() { calls++; return 0; }
void f(inout float a) { a += 4.0; }

void main() {
    float w[2];
    w[0] = 1.0 + u;
    w[1] = 1.0;
    f(w[next()]);
    gl_FragColor = vec4(w[0], w[1], float(calls), 1.0);
}
