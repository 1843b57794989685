#version 300 es
// ES 3.00, 3.4: A name that is not defined is no number in `#if`.
precision highp float;
out vec4 color;
#if NOT_DEFINED //~ error: `NOT_DEFINED` is not a macro
#define A 0.0
#else
#define A 1.0
#endif

void main() {
}
