#version 300 es
// ES 3.00, 8.5: The geometric functions take scalars too.
// value: -3 -2 1 0
// set u = 3
precision highp float;
out vec4 color;
uniform float u;

void main() {
    color = vec4(reflect(u, 1.0), faceforward(2.0, u, 1.0), -refract(1.0, -1.0, 1.0) + 2.0, refract(0.0, 0.0, 2.0));
}
