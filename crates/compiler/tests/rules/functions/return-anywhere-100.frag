// ES 1.00, 6.4: `return` may appear anywhere, also in branches and loops.
// value: 1 2 3 4
// set u = 2
#version 100
precision mediump float;
uniform float u;
float f(float a) {
    if (a > 3.0) return 1.0;
    for (int i = 0; i < 4; i++) {
        if (float(i) == a) return 2.0;
    }
    if (a < 0.0) {
        return 3.0;
    }
    return 4.0;
}

void main() {
    gl_FragColor = vec4(f(u + 3.0), f(u), f(-u), f(u + 0.5));
}
