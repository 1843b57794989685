#version 300 es
// ES 3.00, 3.8: `image2DShadow` and its kind are not among the reserved words.
// value: 1 0 0 1
precision highp float;
out vec4 color;

void main() {
    float image1DShadow = 1.0, image2DShadow, image1DArrayShadow, image2DArrayShadow;
    color = vec4(image1DShadow, 0.0, 0.0, 1.0);
}
