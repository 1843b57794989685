// ES 1.00, 6.4: `break` ends the innermost loop.
// value: 6 2 0 1
#version 100
precision mediump float;
void main() {
    float a = 0.0, b = 0.0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 5; j++) {
            if (j == 3) break;
            a += 1.0;
        }
        b += 1.0;
    }
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
