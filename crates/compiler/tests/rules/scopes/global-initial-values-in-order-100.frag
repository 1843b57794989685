// ES 1.00, 4.3: Global variables get their initial values in order, before `main`.
// value: 1 3 0 1
#version 100
precision mediump float;
float a = 1.0;
float b = 2.0 + 1.0;

void main() {
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
