// GLSL, 1.10: A `precision` within `#ifdef GL_ES` is for those who define it: without `#version` the source is GLSL
// 1.10.
// value: 1 110 0 1
#ifdef GL_ES
precision mediump float;
#endif
void main() {
#ifdef GL_ES
    gl_FragColor = vec4(0.0);
#else
    gl_FragColor = vec4(1.0, float(__VERSION__), 0.0, 1.0);
#endif
}
