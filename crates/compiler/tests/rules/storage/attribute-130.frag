// GLSL 1.30, 4.3.4: Attributes belong to vertex shaders.
#version 130
out vec4 color;
attribute vec4 a; //~ error

void main() {
    color = vec4(1.0);
}
