// GLSL 3.30, 7.2: gl_FrontFacing is a bool.
// value: 1 0 0 1
#version 330
out vec4 color;
void main() {
    color = vec4(gl_FrontFacing ? 1.0 : 2.0, 0.0, 0.0, 1.0);
}
