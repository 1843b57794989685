// ES 1.00, 5.8: `a op= b` is a = a op b.
// value: 5 1 6 1.5
// set u = 3
#version 100
precision mediump float;
uniform float u;

void main() {
    float a = u, b = u, c = u, d = u;
    a += 2.0;
    b -= 2.0;
    c *= 2.0;
    d /= 2.0;
    gl_FragColor = vec4(a, b, c, d);
}
