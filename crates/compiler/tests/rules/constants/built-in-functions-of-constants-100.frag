// ES 1.00, 5.10: Built-in functions of constants give constants.
// value: 3 5 2 1
#version 100
precision mediump float;
const float a = max(1.0, 3.0);
const float b = length(vec2(3.0, 4.0));
const float c = mix(1.0, 3.0, 0.5);
const float d = clamp(5.0, 0.0, 1.0);

void main() {
    gl_FragColor = vec4(a, b, c, d);
}
