// ES 1.00, 4.3: A variable has one storage qualifier.
#version 100
precision mediump float;
uniform const float a = 1.0; //~ error: `uniform` and `const` cannot be combined
uniform varying float b; //~ error: `uniform` and `varying` cannot be combined
varying uniform float c; //~ error: `varying` and `uniform` cannot be combined
const const float d = 1.0; //~ error: `const` is repeated
uniform uniform float e; //~ error: `uniform` is repeated

void main() {
    gl_FragColor = vec4(1.0);
}
