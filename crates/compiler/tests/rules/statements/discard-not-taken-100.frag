// ES 1.00, 6.4: `discard` that is not reached has no effect.
// value: 1 0 0 1
// set u = 0
#version 100
precision mediump float;
uniform float u;

void main() {
    if (u > 0.5) discard;
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
