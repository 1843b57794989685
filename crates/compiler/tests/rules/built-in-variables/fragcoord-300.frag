#version 300 es
// ES 3.00, 7.2: gl_FragCoord is the place of the point: the middle of its pixel.
// value: 0.5 0.5 0.5 1
precision highp float;
out vec4 color;
void main() {
    color = gl_FragCoord;
}
