// ES 1.00, 9: A statement ends with a semicolon; the error is in the line where it is missing.
#version 100
precision mediump float;
void main() {
    float a = 1.0 //~ error: expected `;` after a declaration
    float b = 2.0;
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
