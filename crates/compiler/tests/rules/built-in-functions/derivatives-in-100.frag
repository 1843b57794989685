// ES 1.00, 8: Derivatives need an extension.
#version 100
precision mediump float;
uniform float u;

void main() {
    gl_FragColor = vec4(dFdx(u)); //~ error
}
