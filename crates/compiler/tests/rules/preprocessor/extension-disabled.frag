// ES 1.00, 3.4: The functions of an extension that was disabled are not there.
#version 100
#extension GL_OES_standard_derivatives : enable
#extension GL_OES_standard_derivatives : disable
precision mediump float;
uniform float u;

void main() {
    gl_FragColor = vec4(dFdx(u)); //~ error: GLSL ES 1.00 has no function `dFdx` (it is in GLSL ES 3.00 and later, GLSL 1.10 and later and the extension `GL_OES_standard_derivatives`)
}
