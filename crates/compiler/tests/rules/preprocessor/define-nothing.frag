// ES 1.00, 3.4: A macro may appear for nothing.
// value: 1 0 0 1
#version 100
precision mediump float;
#define NOTHING

void main() {
    gl_FragColor NOTHING = NOTHING vec4(1.0, 0.0, 0.0, 1.0) NOTHING;
}
