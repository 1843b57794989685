// ES 1.00, 4.3.5: An input has no initial value.
#version 100
precision mediump float;
varying float v = 1.0; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
