#version 300 es
// ES 3.00, 4.5.4: A default is for float, int and samplers.
precision highp float;
out vec4 color;
struct S { float a; };
precision highp S; //~ error: a default precision is for `float`, `int` or a sampler

void main() {
    color = vec4(1.0);
}
