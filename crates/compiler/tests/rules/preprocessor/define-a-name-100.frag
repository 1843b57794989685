// ES 1.00, 3.4: `#define` gives a name a text that replaces each use of the name.
// value: 2.5 5 0 1
#version 100
precision mediump float;
#define A 2.5
#define B (A + A)

void main() {
    gl_FragColor = vec4(A, B, 0.0, 1.0);
}
