// ES 1.00, 4.1.2: `true` and `false` are the two values of bool.
// value: 1 0 1 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(true), float(false), float(true == true), 1.0);
}
