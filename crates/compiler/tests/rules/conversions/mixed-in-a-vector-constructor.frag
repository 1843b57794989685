// ES 1.00, 5.4.2: The arguments of a constructor may be of any basic types.
// value: 1 2 1 0.5
// set n = 2
#version 100
precision mediump float;
uniform int n;

void main() {
    gl_FragColor = vec4(1, n, true, 0.5);
}
