// GLSL 1.10, 3.3: `GL_ES` is 1 in OpenGL ES, and not defined elsewhere.
// value: 1 1 0 1
#version 110
void main() {
#ifdef GL_ES
    gl_FragColor = vec4(0.0);
#else
    gl_FragColor = vec4(1.0, 1.0, 0.0, 1.0);
#endif
}
