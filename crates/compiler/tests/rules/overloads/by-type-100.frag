// ES 1.00, 6.1: Functions of one name differ by the types of their parameters.
// value: 1 2 3 4
#version 100
precision mediump float;
float f(float a) { return 1.0; }
float f(int a) { return 2.0; }
float f(vec2 a) { return 3.0; }
float f(bool a) { return 4.0; }

void main() {
    gl_FragColor = vec4(f(0.0), f(0), f(vec2(0.0)), f(false));
}
