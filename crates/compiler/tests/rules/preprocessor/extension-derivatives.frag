// ES 1.00, 3.4: The macro of an extension that exists is 1, and the extension brings its functions.
// value: 0 0 0 1
#version 100
#extension GL_OES_standard_derivatives : enable
precision mediump float;
uniform float u;

void main() {
#ifdef GL_OES_standard_derivatives
    gl_FragColor = vec4(dFdx(u), dFdy(u), fwidth(u), GL_OES_standard_derivatives);
#else
    gl_FragColor = vec4(9.0);
#endif
}
