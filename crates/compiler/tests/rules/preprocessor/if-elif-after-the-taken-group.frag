// ES 1.00, 3.4: After the group that was taken no condition is computed.
// value: 1 0 0 1
#version 100
precision mediump float;
#if 1
#define A 1.0
#elif NOT_DEFINED
#define A 2.0
#endif

void main() {
    gl_FragColor = vec4(A, 0.0, 0.0, 1.0);
}
