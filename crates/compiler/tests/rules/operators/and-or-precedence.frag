// ES 1.00, 5.1: `&&` binds stronger than `^^`, and that stronger than `||`.
// value: 1 1 0 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(float(true || false && false), float(true ^^ true && false), float(true ^^ true || false), 1.0);
}
