// ES 1.00, 6.1: A function may be declared first and defined later.
// value: 3 0 0 1
#version 100
precision mediump float;
float f(float a);
float g() { return f(1.0); }
float f(float a) { return a + 2.0; }

void main() {
    gl_FragColor = vec4(g(), 0.0, 0.0, 1.0);
}
