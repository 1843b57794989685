#version 300 es
// ES 3.00, 7.1: These variables belong to vertex shaders.
precision highp float;
out vec4 color;
void main() {
    gl_Position = vec4(1.0); //~ error
    gl_PointSize = 1.0; //~ error
}
