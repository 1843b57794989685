// ES 1.00, 6.2: `if` runs its statement where the condition is true, `else` the other.
// value: 1 4 5 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    float a = 0.0, c = 0.0, d = 0.0;
    if (b) a = 1.0;
    if (!b) c = 3.0; else c = 4.0;
    if (!b) {
        d = 3.0;
    } else if (!b) {
        d = 4.0;
    } else {
        d = 5.0;
    }
    gl_FragColor = vec4(a, c, d, 1.0);
}
