// ES 1.00, 6.1: A function returns no array.
#version 100
precision mediump float;
float[2] f(); //~ error: in GLSL ES 1.00 a function's result has no arrays

void main() {
    gl_FragColor = vec4(1.0);
}
