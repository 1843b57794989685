// ES 1.00, 3.4: A comma within parentheses does not end an argument.
// value: 3 4 0 1
#version 100
precision mediump float;
#define FIRST(a, b) a
#define SECOND(a, b) b

void main() {
    gl_FragColor = vec4(FIRST(max(1.0, 3.0), 2.0), SECOND((1.0, 2.0), max(4.0, 1.0)), 0.0, 1.0);
}
