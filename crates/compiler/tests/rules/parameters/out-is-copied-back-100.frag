// ES 1.00, 4.4: An out parameter is copied to the argument when the function returns.
// value: 7 0 0 1
#version 100
precision mediump float;
void f(out float a) { a = 7.0; }

void main() {
    float a = 1.0;
    f(a);
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
