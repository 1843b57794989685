// ES 1.00, 7.2: An output of 0 is an output.
// value: 0 0 0 0
#version 100
precision mediump float;
void main() {
    gl_FragData[0] = vec4(0.0);
}
