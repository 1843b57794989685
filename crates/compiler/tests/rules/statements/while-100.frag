// ES 1.00, 6.3: `while` runs its body as long as its condition is true.
// value: 4 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    int n = 0;
    while (n < 3) {
        a += 1.0;
        n++;
    }
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
