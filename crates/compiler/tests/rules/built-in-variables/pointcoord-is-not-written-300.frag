#version 300 es
// ES 3.00, 7.2: gl_PointCoord is not written.
precision highp float;
out vec4 color;
void main() {
    gl_PointCoord = vec2(1.0); //~ error
}
