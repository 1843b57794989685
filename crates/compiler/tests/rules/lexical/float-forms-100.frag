// ES 1.00, 4.1.4: A float has digits with a point, or an exponent, or both; the digits before or after the point
// may be missing.
// value: 1.5 0.5 2 300
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.5, .5, 2., 3e2);
}
