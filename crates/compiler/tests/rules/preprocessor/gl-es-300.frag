#version 300 es
// ES 3.00, 3.4: `GL_ES` is 1 in OpenGL ES, and not defined elsewhere.
// value: 1 1 0 1
precision highp float;
out vec4 color;
void main() {
#ifdef GL_ES
    color = vec4(GL_ES == 1, 1.0, 0.0, 1.0);
#else
    color = vec4(0.0);
#endif
}
