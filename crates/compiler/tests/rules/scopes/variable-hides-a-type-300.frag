#version 300 es
// ES 3.00, 4.2.2: A local variable hides a structure.
// value: 3 0 0 1
precision highp float;
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    int S = 3;
    color = vec4(float(S), 0.0, 0.0, s.a);
}
