// ES 1.00, 4.7: The order is invariant, storage, precision.
// value: 1 0 0 1
#version 100
precision mediump float;
invariant varying mediump vec2 a;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
