// ES 1.00, 9: A semicolon alone is no declaration.
#version 100
precision mediump float;
; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
