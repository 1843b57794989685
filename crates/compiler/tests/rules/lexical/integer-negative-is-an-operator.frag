// ES 1.00, 4.1.3: A sign is not part of a number but an operator before it.
// value: -3 3 -5 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(-3), float(- -3), float(2-7), 1.0);
}
