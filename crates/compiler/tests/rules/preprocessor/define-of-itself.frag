// ES 1.00, 3.4: A macro is not expanded within its own text.
// value: 6 3 0 1
#version 100
precision mediump float;
float f(float x) { return x; }
#define value (value + 3.0)
#define f(x) f(x * 1.0)

void main() {
    float
#undef value
    value = 3.0;
#define value (value + 3.0)
    gl_FragColor = vec4(value, f(3.0), 0.0, 1.0);
}
