// ES 1.00, 4.2.6: A local variable hides a function.
// value: 2 5 0 1
#version 100
precision mediump float;
float f(float x) { return x; }

void main() {
    float b = f(5.0);
    float f = 2.0;
    gl_FragColor = vec4(f, b, 0.0, 1.0);
}
