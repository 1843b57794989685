// ES 1.00, 4.3: A variable has one storage qualifier.
#version 100
precision mediump float;
uniform const float a = 1.0; //~ error
uniform varying float b; //~ error
varying uniform float c; //~ error
const const float d = 1.0; //~ error
uniform uniform float e; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
