// ES 1.00, 4.3.2: The initial value of a constant may use constants.
// value: 3 6 0 1
#version 100
precision mediump float;
const float a = 3.0;
const float b = a * 2.0;

void main() {
    const vec2 c = vec2(a, b);
    gl_FragColor = vec4(c, 0.0, 1.0);
}
