#version 300 es
// ES 3.00, 4.3.4: An input may be a structure.
// value: 1 0 0 1
precision highp float;
out vec4 color;
struct S { float a; vec2 b; };
in S s;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
