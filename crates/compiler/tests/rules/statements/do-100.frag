// ES 1.00, 6.3: `do` runs its body once before its condition.
// value: 2 4 0 1
#version 100
precision mediump float;
void main() {
    float a = 1.0, b = 1.0;
    int n = 0;
    do a += 1.0; while (false);
    do {
        b += 1.0;
        n++;
    } while (n < 3);
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
