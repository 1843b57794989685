// ES 1.00, 6.3: Loops one after the other may have counters of one name, of different types too.
// value: 3 4 0 1
#version 100
precision mediump float;
void main() {
    float a = 0.0, b = 0.0;
    for (int i = 0; i < 3; i++) a += 1.0;
    for (float i = 0.0; i < 4.0; i += 1.0) b += 1.0;
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
