// ES 1.00, 3.4: Comments are spaces before directives are read, so a directive goes on after a comment of several
// lines.
// value: 2.5 0 0 1
#version 100
precision mediump float;
#define A /* this
    goes on */ 2.5

void main() {
    gl_FragColor = vec4(A, 0.0, 0.0, 1.0);
}
