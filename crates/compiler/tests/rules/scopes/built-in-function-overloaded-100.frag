// ES 1.00, 6.1: A built-in function can be overloaded for other types.
// value: 4 0 0 1
#version 100
precision mediump float;
int sin(int x) { return x; }

void main() {
    gl_FragColor = vec4(float(sin(4)), 0.0, 0.0, 1.0);
}
