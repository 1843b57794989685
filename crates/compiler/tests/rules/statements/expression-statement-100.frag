// ES 1.00, 6: Any expression may be a statement.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    a;
    a + 2.0;
    vec2(a).x;
    a > 0.0 ? 1.0 : 2.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
