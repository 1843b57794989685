// ES 1.00, 6.1: The body of a function is enclosed in braces.
#version 100
precision mediump float;
float f() return 1.0; //~ error: expected `{` or `;` after the parameters of a function, found `return`

void main() {
    gl_FragColor = vec4(1.0);
}
