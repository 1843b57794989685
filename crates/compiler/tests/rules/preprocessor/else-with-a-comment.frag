// ES 1.00, 3.4: A comment may follow `#else` and `#endif`.
// value: 1 0 0 1
#version 100
precision mediump float;
#if 1 // yes
#define A 1.0
#else /* no */
#endif // the end

void main() {
    gl_FragColor = vec4(A, 0.0, 0.0, 1.0);
}
