// ES 1.00, 4.1.3: An integer that begins with 0 is octal.
// value: 8 63 1 0
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(010), float(077), float(01), float(00));
}
