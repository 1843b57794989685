// ES 1.00, 3.4: `__LINE__` is the number of the line.
// value: 8 9 0 1
#version 100
precision mediump float;
// one line more

void main() {
    gl_FragColor = vec4(__LINE__,
        __LINE__, 0.0, 1.0);
}
