// ES 1.00, 3.4: `#extension` may depend on a condition.
// value: 0 0 0 1
#version 100
#ifdef GL_OES_standard_derivatives
#extension GL_OES_standard_derivatives : enable
#endif
precision mediump float;
uniform float u;

void main() {
    gl_FragColor = vec4(dFdx(u), 0.0, 0.0, 1.0);
}
