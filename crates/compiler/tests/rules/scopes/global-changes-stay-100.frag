// ES 1.00, 4.2: A global variable keeps what functions write to it.
// value: 3 0 0 1
#version 100
precision mediump float;
float a = 1.0;
void next() { a += 1.0; }

void main() {
    next();
    next();
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
