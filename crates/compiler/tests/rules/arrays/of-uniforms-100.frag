// ES 1.00, 4.3.4: A uniform array is indexed by anything.
// value: 2 3 1 1
// set w[0] = 1
// set w[1] = 2
// set w[2] = 3
// set n = 1
#version 100
precision mediump float;
uniform float w[3];
uniform int n;

void main() {
    gl_FragColor = vec4(w[n], w[n + 1], w[0], 1.0);
}
