#version 300 es
// ES 3.00, 4.3.9: A parameter has no interpolation.
precision highp float;
out vec4 color;
float f(flat float a) { return a; } //~ error: `flat` is not allowed on a parameter
float g(smooth in float a) { return a; } //~ error: `smooth` is not allowed on a parameter
float h(centroid in float a) { return a; } //~ error: `centroid` is not allowed on a parameter

void main() {
    color = vec4(1.0);
}
