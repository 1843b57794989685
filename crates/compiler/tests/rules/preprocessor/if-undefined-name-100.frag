// ES 1.00, 3.4: A name that is not defined is no number in `#if`.
#version 100
precision mediump float;
#if NOT_DEFINED //~ error: `NOT_DEFINED` is not a macro
#define A 0.0
#else
#define A 1.0
#endif

void main() {
}
