// ES 1.00, 5.1: Multiplication binds stronger than addition, that stronger than comparison, that stronger than
// equality.
// value: 7 1 1 1
// set a = 1
#version 100
precision mediump float;
uniform float a;

void main() {
    gl_FragColor = vec4(a + 2.0 * 3.0, float(a + 1.0 < 3.0), float(a < 2.0 == true), float(a * 2.0 == a + 1.0 && true));
}
