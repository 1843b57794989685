// ES 1.00, 5.13: The operands of an operator are computed from left to right.
// value: 12 34 1 1
#version 100
precision mediump float;
int order = 0;
float note(int n, float a) { order = order * 10 + n; return a; }

void main() {
    float a = note(1, 1.0) + note(2, 2.0);
    float first = float(order);
    order = 0;
    vec2 v = vec2(note(3, 1.0), note(4, 1.0));
    gl_FragColor = vec4(first, float(order), v.x, 1.0);
}
