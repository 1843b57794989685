// ES 1.00, 5.9: `&&`, `||` and `^^` work on bools; `^^` is true where exactly one is.
// value: 1 1 1 0
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    gl_FragColor = vec4(float(b && b), float(b || !b), float(b ^^ !b), float(b ^^ b));
}
