#version 300 es
// ES 3.00, 6.2: The single statement of `if` and of `else` is a scope of its own.
// value: 1 0 0 1
// set u = 1
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = 1.0;
    if (u > 0.5) float a = 42.0;
    if (u > 2.0) ; else float a = 43.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
