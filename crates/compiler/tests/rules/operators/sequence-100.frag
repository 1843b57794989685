// ES 1.00, 5.9: `,` computes both sides, from left to right, and gives the right one.
// value: 2 4 3 1
// set u = 1
#version 100
precision mediump float;
uniform float u;

void main() {
    float a = u, b = u;
    float c = (a += 1.0, b = a + 2.0, 3.0);
    gl_FragColor = vec4(a, b, c, 1.0);
}
