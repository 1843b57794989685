// ES 1.00, A.5: The number of a component may be computed.
// value: 3 2 4 1
// set v = 1 2 3 4
// set n = 2
#version 100
precision mediump float;
uniform vec4 v;
uniform int n;

void main() {
    vec4 w = v;
    gl_FragColor = vec4(w[n], w[n - 1], w[n + 1], w[0]);
}
