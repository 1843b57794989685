// ES 1.00, 9: Every `(` has its `)`.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0, (2.0, 3.0, 4.0); //~ error: expected `)` after the arguments of a function, found `;`
}
