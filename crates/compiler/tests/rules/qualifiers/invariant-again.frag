// ES 1.00, 4.6.1: A varying may be declared invariant after its declaration, also several in a list.
// value: 1 0 0 1
#version 100
precision mediump float;
varying vec2 a, b;
invariant a;
invariant a, b;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
