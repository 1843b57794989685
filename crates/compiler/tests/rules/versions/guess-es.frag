// ES, 1.00: A source without `#version` that has a `precision` outside conditions is ES 1.00.
// value: 1 100 0 1
precision mediump float;
void main() {
#ifdef GL_ES
    gl_FragColor = vec4(1.0, float(__VERSION__), 0.0, 1.0);
#else
    gl_FragColor = vec4(0.0);
#endif
}
