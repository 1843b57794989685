// ES 1.00, 3.4: After `#undef` a name can be defined in another way.
// value: 2 3 0 1
#version 100
precision mediump float;
#define A 1.0
#undef A
#define A 2.0

void main() {
    float a = A;
#undef A
#define A(x) (x)
    gl_FragColor = vec4(a, A(3.0), 0.0, 1.0);
}
