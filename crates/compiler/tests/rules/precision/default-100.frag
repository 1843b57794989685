// ES 1.00, 4.5.3: `precision` sets what holds for all floats after it.
// value: 1 0 0 1
#version 100
precision highp float;
precision mediump int;
precision lowp sampler2D;

void main() {
    float a = 1.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
