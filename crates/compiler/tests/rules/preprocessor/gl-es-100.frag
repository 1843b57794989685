// ES 1.00, 3.4: `GL_ES` is 1 in OpenGL ES, and not defined elsewhere.
// value: 1 1 0 1
#version 100
precision mediump float;
void main() {
#ifdef GL_ES
    gl_FragColor = vec4(GL_ES == 1, 1.0, 0.0, 1.0);
#else
    gl_FragColor = vec4(0.0);
#endif
}
