// ES 1.00, 4.1.4: The exponent begins with e or E, and may have a sign.
// value: 150 0.25 25 2
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.5e2, 25.E-2, .25e+2, 0.0002E4);
}
