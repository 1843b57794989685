// ES 1.00, 7.2: gl_FragData is an array.
#version 100
precision mediump float;
void main() {
    gl_FragData = vec4(1.0); //~ error: GLSL ES 1.00 does not assign arrays
    gl_FragData.x = 1.0; //~ error: a value of type `vec4[4]` has no members
}
