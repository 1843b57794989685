// ES 1.00, 3.4: `#ifdef` asks whether a name is defined, also as nothing, `#ifndef` whether it is not.
// value: 1 1 1 1
#version 100
precision mediump float;
#define A
#define F(x) x
#ifdef A
#define R 1.0
#endif
#ifndef B
#define G 1.0
#endif
#ifdef F
#define Z 1.0
#endif

void main() {
    gl_FragColor = vec4(R, G, Z, 1.0);
}
