// ES 1.00, 5.11: Two vectors of one size go component by component.
// value: 5 12 0.5 1
// set v = 1 2
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    gl_FragColor = vec4(v * vec2(5.0, 6.0), (v / v.yx).x, (v - v.yx).y);
}
