// GLSL 3.30, 3.3: `GL_ES` is 1 in OpenGL ES, and not defined elsewhere.
// value: 1 1 0 1
#version 330
out vec4 color;
void main() {
#ifdef GL_ES
    color = vec4(0.0);
#else
    color = vec4(1.0, 1.0, 0.0, 1.0);
#endif
}
