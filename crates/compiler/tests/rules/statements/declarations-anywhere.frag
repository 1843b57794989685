// ES 1.00, 6: Declarations and other statements mix.
// value: 3 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    a += 1.0;
    float b = a + 1.0;
    gl_FragColor = vec4(b, 0.0, 0.0, 1.0);
}
