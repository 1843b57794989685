// GLSL 3.30, 7.1: These variables belong to vertex shaders.
#version 330
out vec4 color;
void main() {
    gl_Position = vec4(1.0); //~ error: there is no variable `gl_Position` here
    gl_PointSize = 1.0; //~ error: there is no variable `gl_PointSize` here
}
