// GLSL 3.30, 4.3.4: Attributes belong to vertex shaders.
#version 330
out vec4 color;
attribute vec4 a; //~ error: a fragment shader has no attributes

void main() {
    color = vec4(1.0);
}
