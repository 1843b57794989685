// ES 1.00, 6.4: Where both branches return, the end is not reached.
// value: 1 0 0 1
// set u = 2
#version 100
precision mediump float;
uniform float u;
float f(float x) {
    if (x > 1.0) {
        return 1.0;
    } else {
        return 2.0;
    }
}

void main() {
    gl_FragColor = vec4(f(u), 0.0, 0.0, 1.0);
}
