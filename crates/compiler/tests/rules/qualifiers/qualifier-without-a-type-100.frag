// ES 1.00, 9: A declaration has a type.
#version 100
precision mediump float;
uniform a; //~ error: a type is missing in this declaration
const b = 1.0; //~ error: expected the name of a variable, found `=`
varying c; //~ error: a type is missing in this declaration

void main() {
    gl_FragColor = vec4(1.0);
}
