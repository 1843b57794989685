// ES 1.00, 6.4: `return` ends `main` too.
// value: 1 0 0 1
// set u = 1
#version 100
precision mediump float;
uniform float u;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
    if (u > 0.5) return;
    gl_FragColor = vec4(2.0);
}
