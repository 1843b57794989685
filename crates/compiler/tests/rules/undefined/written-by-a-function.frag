// ES 1.00, 4.4: A function with an out parameter writes the variable.
// value: 3 0 0 1
#version 100
precision mediump float;
void f(out float a) { a = 3.0; }

void main() {
    float a;
    f(a);
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
