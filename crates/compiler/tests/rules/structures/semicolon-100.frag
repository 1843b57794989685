// ES 1.00, 9: A semicolon ends a structure.
#version 100
precision mediump float;
struct S { float a; } //~ error: expected `;` after a declaration

void main() {
    gl_FragColor = vec4(1.0);
}
