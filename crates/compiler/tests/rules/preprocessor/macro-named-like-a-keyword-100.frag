// ES 1.00, 3.4: A macro may be called like a word of the language, and hides it.
// value: 3 0 0 1
#version 100
precision mediump float;
#define float int
#define discard a = 3

void main() {
    float a = 2;
    discard;
#undef float
    gl_FragColor = vec4(float(a), 0.0, 0.0, 1.0);
}
