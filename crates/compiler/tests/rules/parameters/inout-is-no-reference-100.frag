// ES 1.00, 6.1.1: Arguments are copied in before the body and out after it: a change of the variable itself is not
// seen within, and is overwritten.
// value: 2 1 2 1
// set u = 1
#version 100
precision mediump float;
uniform float u;
float g;
float seen;
void f(inout float a) {
    g = 9.0;
    seen = a;
    a = a + 1.0;
}

void main() {
    g = u;
    f(g);
    gl_FragColor = vec4(g, seen, g, 1.0);
}
