// ES 1.00, 7.2: gl_FragData[0] is the first output.
// value: 1 2 3 4
#version 100
precision mediump float;
void main() {
    gl_FragData[0] = vec4(1.0, 2.0, 3.0, 4.0);
}
