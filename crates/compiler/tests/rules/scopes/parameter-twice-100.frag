// ES 1.00, 4.2.2: The parameters of a function have different names.
#version 100
precision mediump float;
float f(float a, float a) { return a; } //~ error: `a` is declared twice in one scope

void main() {
    gl_FragColor = vec4(1.0);
}
