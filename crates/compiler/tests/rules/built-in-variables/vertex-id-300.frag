#version 300 es
// ES 3.00, 7.1: These variables belong to vertex shaders.
precision highp float;
out vec4 color;
void main() {
    int a = gl_VertexID; //~ error: there is no variable `gl_VertexID` here
    int b = gl_InstanceID; //~ error: there is no variable `gl_InstanceID` here
}
