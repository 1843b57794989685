#version 300 es
// ES 3.00, 7.2: gl_PointCoord is the place within a point.
precision highp float;
out vec4 color;
void main() {
    color = vec4(gl_PointCoord, 0.0, 1.0);
}
