// ES 1.00, 3.4: A macro with arguments has its `(` right after its name.
// value: 6 5 0 1
#version 100
precision mediump float;
#define MUL(a, b) ((a) * (b))
#define ADD( a , b ) (a+b)

void main() {
    gl_FragColor = vec4(MUL(2.0, 3.0), ADD(2.0, 3.0), 0.0, 1.0);
}
