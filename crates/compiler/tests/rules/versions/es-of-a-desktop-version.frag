// GLSL 3.30, 3.3: Version 330 is not a version of OpenGL ES.
#version 330 es //~ error: version 330 has no profile `es`
void main() {
}
