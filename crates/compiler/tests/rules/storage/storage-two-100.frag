// ES 1.00, 4.3: A variable has one storage qualifier.
#version 100
precision mediump float;
uniform const float a = 1.0; //~ error: `uniform` and `const` do not go together
uniform varying float b; //~ error: `uniform` and `varying` do not go together
varying uniform float c; //~ error: `varying` and `uniform` do not go together
const const float d = 1.0; //~ error: `const` is repeated
uniform uniform float e; //~ error: `uniform` is repeated

void main() {
    gl_FragColor = vec4(1.0);
}
