// GLSL 3.30, 3.3: Version 330 is none of OpenGL ES.
#version 330 es //~ error
void main() {
}
