// ES 1.00, 6.3: A loop within another may have a counter of the same name.
// value: 6 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 0.0;
    for (int i = 0; i < 2; i++) {
        for (int i = 0; i < 3; i++) a += 1.0;
    }
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
