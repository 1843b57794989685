// GLSL, 1.10: A source without `#version` and without `precision` is GLSL 1.10.
// value: 1 110 0 1
void main() {
#ifdef GL_ES
    gl_FragColor = vec4(0.0);
#else
    gl_FragColor = vec4(1.0, float(__VERSION__), 0.0, 1.0);
#endif
}
