// ES 1.00, 6.1.1: A parameter may go on to another function as an argument of inout.
// value: 13 0 0 1
#version 100
precision mediump float;
void g(inout float a) { a *= 3.0; }
void f(inout float a) {
    a += 1.0;
    g(a);
    g(a);
    a -= 5.0;
}

void main() {
    float a = 1.0;
    f(a);
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
