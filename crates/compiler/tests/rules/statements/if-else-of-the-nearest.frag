// ES 1.00, 6.2: `else` belongs to the nearest `if`.
// value: 1 0 0 1
// set b = 0
#version 100
precision mediump float;
uniform bool b;

void main() {
    float a = 1.0;
    if (b) if (!b) a = 2.0; else a = 3.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
