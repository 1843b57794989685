#version 300 es
// ES 3.00, 6.1.1: A variable may be an in argument and an out argument of one call.
// value: 3 1 0 1
// set u = 1
precision highp float;
out vec4 color;
uniform float u;
float seen;
void f(float a, out float b) {
    b = a + 2.0;
    seen = a;
}

void main() {
    float x = u;
    f(x, x);
    color = vec4(x, seen, 0.0, 1.0);
}
