// ES 1.00, 9: A declaration may have no variable: `float;` declares nothing.
// value: 1 0 0 1
#version 100
precision mediump float;
float;
struct S { float a; };
S;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
