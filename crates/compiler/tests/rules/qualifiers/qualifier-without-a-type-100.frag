// ES 1.00, 9: A declaration has a type.
#version 100
precision mediump float;
uniform a; //~ error
const b = 1.0; //~ error
varying c; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
