#version 300 es
// ES 3.00, 4.2.2: A variable may be called like its type: the type still counts in its initial value.
// value: 2 0 0 1
precision highp float;
out vec4 color;
struct S { float a; };

void main() {
    S S = S(2.0);
    color = vec4(S.a, 0.0, 0.0, 1.0);
}
