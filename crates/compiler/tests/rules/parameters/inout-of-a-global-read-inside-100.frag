// ES 1.00, 6.1.1: The global variable that is the argument keeps its value until the function returns.
// value: 1 5 0 1
// set u = 1
#version 100
precision mediump float;
uniform float u;
float g, seen;
void f(inout float a) {
    a = 5.0;
    seen = g;
}

void main() {
    g = u;
    f(g);
    gl_FragColor = vec4(seen, g, 0.0, 1.0);
}
