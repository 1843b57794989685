#version 300 es
// ES 3.00, 4.5.4: `precision` sets what holds for all floats after it.
// value: 1 0 0 1
precision highp float;
precision mediump int;
precision lowp sampler2D;
out vec4 color;

void main() {
    float a = 1.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
