// ES 1.00, 9: A declaration has a type.
#version 100
precision mediump float;
uniform ; //~ error: this declaration has no type and no name
const ; //~ error: this declaration has no type and no name

void main() {
    gl_FragColor = vec4(1.0);
}
