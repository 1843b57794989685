// ES 1.00, 4.4: An inout parameter is copied from the argument and back.
// value: 8 0 0 1
// set u = 3
#version 100
precision mediump float;
uniform float u;
void f(inout float a) { a += 5.0; }

void main() {
    float a = u;
    f(a);
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
