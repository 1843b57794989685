#version 300 es
// ES 3.00, 4.3.6: An output may be an argument of out and inout parameters.
// value: 2 3 4 5
precision highp float;
out vec4 color;
void f(out vec4 a) { a = vec4(1.0, 2.0, 3.0, 4.0); }
void g(inout vec4 a) { a += 1.0; }

void main() {
    f(color);
    g(color);
}
