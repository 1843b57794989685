// ES 1.00, 6.3: A counter may count down.
// value: 3 321 0 1
#version 100
precision mediump float;
void main() {
    float a = 0.0, order = 0.0;
    for (int i = 3; i > 0; i--) {
        a += 1.0;
        order = order * 10.0 + float(i);
    }
    gl_FragColor = vec4(a, order, 0.0, 1.0);
}
