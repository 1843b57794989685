// ES 1.00, 4.4: An out parameter is copied back at every `return`.
// value: 2 3 0 1
// set u = 1
#version 100
precision mediump float;
uniform float u;
void f(float x, out float a) {
    a = 2.0;
    if (x > 0.5) return;
    a = 3.0;
}

void main() {
    float a, b;
    f(u, a);
    f(u - 1.0, b);
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
