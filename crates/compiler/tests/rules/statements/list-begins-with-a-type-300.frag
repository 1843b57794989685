#version 300 es
// ES 3.00, 9: A list of declarations can begin with a type alone.
// value: 1 2 3 4
precision highp float;
out vec4 color;
float, a = 1.0;
struct S { float m; }, s;

void main() {
    int, b = 2;
    s.m = 3.0;
    color = vec4(a, b, s.m, 4.0);
}
