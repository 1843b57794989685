// GLSL, 1.10: A `precision` in a comment says nothing.
// value: 110 0 0 1
// precision mediump float;
void main() {
    gl_FragColor = vec4(float(__VERSION__), 0.0, 0.0, 1.0);
}
