// ES 1.00, 4.7: `const` stands before `in`.
#version 100
precision mediump float;
float f(in const float a) { return a; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
