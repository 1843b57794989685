// GLSL 3.30, 7.1: These variables belong to vertex shaders.
#version 330
out vec4 color;
void main() {
    int a = gl_VertexID; //~ error: there is no variable `gl_VertexID` here
    int b = gl_InstanceID; //~ error: there is no variable `gl_InstanceID` here
}
