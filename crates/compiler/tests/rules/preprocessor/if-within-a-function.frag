// ES 1.00, 3.4: Directives may come between any two lines.
// value: 3 0 0 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(
#if 1
    3.0
#else
    4.0
#endif
    , 0.0, 0.0, 1.0);
}
