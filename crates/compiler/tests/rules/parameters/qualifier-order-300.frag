#version 300 es
// ES 3.00, 4.7: `const` comes before `in`.
precision highp float;
out vec4 color;
float f(in const float a) { return a; } //~ error: `in` and `const` cannot be combined

void main() {
    color = vec4(1.0);
}
