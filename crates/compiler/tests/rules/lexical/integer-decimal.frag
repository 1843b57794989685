// ES 1.00, 4.1.3: An integer is 0 or a digit other than 0 with digits.
// value: 0 7 10 123456
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(0), float(7), float(10), float(123456));
}
