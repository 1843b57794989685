// ES 1.00, 3.5: `/*` within a comment of one line begins nothing.
// value: 5 0 0 1
#version 100
precision mediump float;
void main() {
    // the rest of /* this line
    gl_FragColor = vec4(5.0, 0.0, 0.0, 1.0);
}
