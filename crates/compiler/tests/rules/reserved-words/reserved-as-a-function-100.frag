// ES 1.00, 3.7: Words that are reserved cannot be names of functions.
#version 100
precision mediump float;
float half(float a) { return a; } //~ error: `half` is a reserved word of GLSL ES 1.00, it cannot be a name

void main() {
    gl_FragColor = vec4(1.0);
}
