// ES 1.00, 4.1.4: Zeros before the digits of a float do not make it octal.
// value: 9 8.5 10 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(09.0, 08.5, 010.0, 1.0);
}
