// ES 1.00, 4.2.2: A parameter hides a global name.
// value: 3 1 0 1
#version 100
precision mediump float;
float a = 1.0;
float f(float a) { return a; }

void main() {
    gl_FragColor = vec4(f(3.0), a, 0.0, 1.0);
}
