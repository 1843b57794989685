// ES 1.00, 6.1: The names of parameters may differ, or be missing in the prototype.
// value: 3 0 0 1
#version 100
precision mediump float;
float f(float, float);
float f(float x, float y) { return x + y; }

void main() {
    gl_FragColor = vec4(f(1.0, 2.0), 0.0, 0.0, 1.0);
}
