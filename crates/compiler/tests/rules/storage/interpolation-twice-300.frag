#version 300 es
// ES 3.00, 4.3.9: An input has one interpolation.
precision highp float;
out vec4 color;
flat smooth in float a; //~ error: `flat` and `smooth` cannot be combined
smooth smooth in float b; //~ error: `smooth` is repeated
centroid centroid in float c; //~ error: `centroid` is repeated

void main() {
    color = vec4(1.0);
}
