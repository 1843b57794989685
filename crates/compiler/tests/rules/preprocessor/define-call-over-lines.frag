// ES 1.00, 3.4: The arguments of a macro may come on several lines.
// value: 6 0 0 1
#version 100
precision mediump float;
#define MUL(a, b) ((a) * (b))

void main() {
    gl_FragColor = vec4(MUL
    (
        2.0,
        3.0
    ), 0.0, 0.0, 1.0);
}
