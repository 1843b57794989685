// ES 1.00, 4.1.8: A uniform may be declared with its structure.
// value: 3 0 0 1
// set s.a = 3
#version 100
precision mediump float;
uniform struct S { float a; vec2 b; } s;

void main() {
    gl_FragColor = vec4(s.a, 0.0, 0.0, 1.0);
}
