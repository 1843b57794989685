// ES 1.00, 5.10: `?:` of constants is a constant.
// value: 8 0 0 1
#version 100
precision mediump float;
const float a = 1.0 < 2.0 ? 8.0 : 9.0;

void main() {
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
