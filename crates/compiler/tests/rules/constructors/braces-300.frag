#version 300 es
// ES 3.00, 4.1.9: There are no lists in braces.
precision highp float;
out vec4 color;
void main() {
    float a[2] = { 1.0, 2.0 }; //~ error: GLSL ES 3.00 has no lists of initial values
    vec2 b = { 1.0, 2.0 }; //~ error: GLSL ES 3.00 has no lists of initial values
}
